/** What doctor says of tool servers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examineSettings } from '../../apps/cli/src/settings.ts';
import { toolFindings } from '../../apps/cli/src/doctor/tool-findings.ts';
import { stdioServerYaml } from '../support/mcp/tool-servers.ts';

test('doctor shows each server, its tools and who may use them, and what keeps one away', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-doctor-'));
  const odd = stdioServerYaml('tools: [echo], allow: { user: [], group: [e*] }');
  writeFileSync(
    join(folder, 'config.yaml'),
    `mcp_servers:\n  odd: ${odd}\n  gone: { command: /nowhere }\n  off: { command: x, enabled: false }\n`,
  );
  const { settings } = examineSettings({ PATH: process.env['PATH'] }, folder);

  const findings = await toolFindings(settings);
  rmSync(folder, { recursive: true });

  expect(findings.map(({ state, words }) => [state, words.slice(0, 90)])).toEqual([
    ['problem', 'server gone: the program or its folder was not found (ENOENT); check command and cwd'],
    ['fine', expect.stringMatching(/^server odd: 14 tools, and who may use them: /)],
    ['fine', 'server off: switched off'],
  ]);
  expect(findings[1]?.words).toContain('odd_die (nobody), odd_echo (admin group), odd_endless (nobody)');
});

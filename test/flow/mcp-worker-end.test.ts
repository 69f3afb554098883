/** The worker as a process of its own: the programs that serve its tools do not outlive it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { launch, untilRunning } from '../support/chaos/program.ts';
import { createTestDatabase } from '../support/database.ts';
import { stdioServerYaml } from '../support/mcp/tool-servers.ts';

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a tool server ends with its worker (%s)',
  async (signal) => {
    await using database = await createTestDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-worker-'));
    const pidFile = join(folder, 'pid');
    const yaml = stdioServerYaml(`env: { PID_FILE: ${JSON.stringify(pidFile)} }`);
    writeFileSync(join(folder, 'config.yaml'), `mcp_servers: { odd: ${yaml} }\n`);
    const env = { DATABASE_URL: database.url };
    const worker = launch({ command: ['apps/cli/src/main.ts', 'worker'], env, folder });
    try {
      await untilRunning(worker);
      const pid = await vi.waitFor(() => Number(readFileSync(pidFile, 'utf8') || 'none yet'), {
        timeout: 30_000,
      });
      await vi.waitFor(() => expect(worker.log()).toContain('tool server is ready'), { timeout: 30_000 });

      if (signal === 'SIGKILL') await worker.kill();
      else await worker.stop(signal);

      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 20_000 });
    } finally {
      await worker.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  150_000,
);

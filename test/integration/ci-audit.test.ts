/** What CI runs: the audit of dependencies beside the tests, each of which fails it. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

const report = (vulnerabilities: object): string =>
  JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: {} });
const weak = report({ parser: { severity: 'high', range: '<2.1.0' } });
const clean = report({});

/** `.ci/run` with an npm that knows these weaknesses, and tests that end with this code. */
async function runCi(audited: string, testCode: number): Promise<{ code: number; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-ci-'));
  const npm = join(folder, 'npm');
  writeFileSync(
    npm,
    `#!/bin/sh\nif [ "$1" = audit ]; then echo '${audited}'; else echo "tests ran"; exit ${testCode}; fi\n`,
  );
  chmodSync(npm, 0o755);
  const env = { PATH: `${folder}:${dirname(process.execPath)}:${process.env['PATH']}` };
  return new Promise((resolve) => {
    const child = execFile(join(root, '.ci/run'), { env }, (_failed, output) => {
      rmSync(folder, { recursive: true, force: true });
      resolve({ code: child.exitCode ?? -1, output });
    });
  });
}

test('a dependency with a high weakness fails CI after the tests have run', async () => {
  const { code, output } = await runCi(weak, 0);

  expect(code).toBe(1);
  expect(output).toContain('dependency audit: FAILED');
  expect(output).toContain('parser <2.1.0: high');
  expect(output).toContain('tests ran');
});

test('without one the tests decide', async () => {
  const [good, bad] = [await runCi(clean, 0), await runCi(clean, 3)];

  expect([good.code, bad.code]).toEqual([0, 3]);
  expect(good.output).toContain('dependency audit: no known weakness is high or critical');
});

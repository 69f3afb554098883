/** Known weaknesses of the packages we ship, as the registry knows them; a registry that does not answer is no failure. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { judgeAudit } from './tests/judge-audit.ts';

/** A machine without a way out finds nobody to ask; CI does not wait for it longer than this. */
const answerLimitMs = 45_000;

const root = fileURLToPath(new URL('../../', import.meta.url));
const output = await new Promise<string>((resolve) => {
  const command = [
    'audit',
    '--json',
    '--omit=dev',
    '--fetch-retries=0',
    `--fetch-timeout=${answerLimitMs / 2}`,
  ];
  execFile('npm', command, { cwd: root, timeout: answerLimitMs, maxBuffer: 1e8 }, (_error, stdout) =>
    resolve(stdout),
  );
});
const verdict = judgeAudit(output);
switch (verdict.kind) {
  case 'clean':
    process.stdout.write('dependency audit: no known weakness is high or critical\n');
    break;
  case 'unknown':
    process.stdout.write(`dependency audit: skipped, the registry gave no answer (${verdict.why})\n`);
    break;
  case 'weak':
    process.stdout.write(`dependency audit: FAILED\n${verdict.lines.map((line) => `  ${line}\n`).join('')}`);
    process.exitCode = 1;
    break;
  default:
    verdict satisfies never;
}

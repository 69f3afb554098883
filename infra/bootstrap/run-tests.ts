/**
 * Everything that `npm test` does once packages are installed:
 *
 *   Postgres and Redis → type check → lint → format → dead code → tests → `N passed, N failed`
 *
 * With arguments only the tests run, and the arguments go to vitest: `npm test -- test/unit`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { toGatewayError } from '@palimpsest/core';
import { countTests, type TestCount } from './tests/count-tests.ts';
import { runCommand } from './tests/run-command.ts';
import { startTestServices } from './tests/test-services.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Each counts as one test. */
const checks: readonly { readonly name: string; readonly command: readonly [string, ...string[]] }[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'lint', command: ['oxlint', '--deny-warnings'] },
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  { name: 'dead code', command: ['knip'] },
];

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function childEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    // The checks are started by `#!/usr/bin/env node` and must find the Node that runs us, not the machine's.
    // It is named itself: with install scripts off, npm makes no `node` in .bin.
    PATH: [dirname(process.execPath), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
  };
  if (process.stdout.isTTY) return env;
  delete env.FORCE_COLOR;
  return { ...env, NO_COLOR: '1' };
}

async function runChecks(signal: AbortSignal): Promise<TestCount> {
  let passed = 0;
  for (const { name, command } of checks) {
    if (signal.aborted) break;
    const startedAt = performance.now();
    const result = await runCommand(command, { cwd: root, env: childEnvironment(), signal, output: 'keep' });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    if (result.code === 0) passed += 1;
    // oxlint and oxfmt colour their output in CI whatever NO_COLOR says.
    else
      say(process.stdout.isTTY ? result.output.trimEnd() : stripVTControlCharacters(result.output.trimEnd()));
    say(`${name}: ${result.code === 0 ? 'passed' : 'FAILED'} (${command.join(' ')}, ${seconds} s)`);
  }
  return { passed, failed: checks.length - passed, skipped: 0 };
}

async function runVitest(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<TestCount> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-report-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const options = { cwd: root, env, signal, output: 'show' } as const;
    const result = await runCommand(['vitest', 'run', ...reporters, ...args], options);
    return countTests(report, result.code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runAll(args: readonly string[], signal: AbortSignal): Promise<TestCount> {
  await using services = await startTestServices({ redisUrl: process.env.REDIS_URL, log: say });
  const env = {
    ...childEnvironment(),
    PALIMPSEST_TEST_DATABASE_URL: services.databaseUrl,
    PALIMPSEST_TEST_REDIS_URL: services.redisUrl,
  };
  const nothing: TestCount = { passed: 0, failed: 0, skipped: 0 };
  const checked = args.length === 0 ? await runChecks(signal) : nothing;
  const tested = signal.aborted ? nothing : await runVitest(args, env, signal);
  return {
    passed: checked.passed + tested.passed,
    failed: checked.failed + tested.failed,
    skipped: tested.skipped,
  };
}

async function main(): Promise<number> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => interrupted.abort());
  try {
    const count = await runAll(process.argv.slice(2), interrupted.signal);
    if (interrupted.signal.aborted) say('interrupted: not everything ran');
    if (count.skipped > 0) say(`${count.skipped} skipped`);
    say(`${count.passed} passed, ${count.failed} failed`);
    return interrupted.signal.aborted ? 130 : Number(count.failed > 0 || count.passed === 0);
  } catch (thrown) {
    const error = toGatewayError(thrown);
    say(
      error.code === 'internal' && thrown instanceof Error ? (thrown.stack ?? thrown.message) : error.message,
    );
    say('0 passed, 1 failed');
    return 1;
  }
}

process.exit(await main());

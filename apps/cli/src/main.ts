import { existsSync, readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { parseEnv } from 'node:util';
import { GatewayError } from '@palimpsest/core';
import { buildProgram } from './program.ts';

/** Exit codes: 0 done · 1 an error that was explained · 2 wrong usage · 130 interrupted. */
const wrongUsage = 2;
const folder = process.env['PALIMPSEST_HOME'] ?? process.cwd();

try {
  const fromFile = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  await buildProgram({ env: { ...fromFile, ...process.env }, folder }).parseAsync(process.argv);
} catch (thrown) {
  process.exitCode = explain(thrown);
}

/** Says what went wrong, once and readably; gives the exit code. */
function explain(thrown: unknown): number {
  // commander has said it already.
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : wrongUsage;
  const known = thrown instanceof GatewayError && thrown.code !== 'internal';
  const words = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  process.stderr.write(
    `${known ? thrown.message : `Unexpected error; please report these lines:\n${words}`}\n`,
  );
  return 1;
}

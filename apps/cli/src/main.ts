import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { GatewayError } from '@palimpsest/core';
import { buildProgram } from './program.ts';

/** Exit codes: 0 done · 1 an error that was explained · 2 wrong usage · 130 interrupted. */
const folder = process.env['PALIMPSEST_HOME'] ?? process.cwd();
const fromFile = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
const env = { ...fromFile, ...process.env };

try {
  await buildProgram({ env, folder }).parseAsync(process.argv);
} catch (thrown) {
  const known = thrown instanceof GatewayError && thrown.code !== 'internal';
  process.stderr.write(
    `${known ? thrown.message : thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`,
  );
  process.exitCode = 1;
}

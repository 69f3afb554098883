import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { GatewayError } from '@palimpsest/core';
import { runProgram } from './program.ts';

/** Exit codes: 0 done · 1 a promise is broken or an error that was explained · 2 wrong usage · 130 interrupted. */
const fromFile = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());

try {
  process.exitCode = await runProgram(process.argv.slice(2), {
    env: { ...fromFile, ...process.env },
    folder: process.cwd(),
    signal: interrupted.signal,
    print: (text) => process.stdout.write(text),
    progress: (line) => process.stderr.write(`${line}\n`),
  });
} catch (thrown) {
  const known = thrown instanceof GatewayError && thrown.code !== 'internal';
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  process.stderr.write(`${known ? thrown.message : stack}\n`);
  process.exitCode = interrupted.signal.aborted ? 130 : 1;
}

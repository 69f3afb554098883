import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { runCommandLine } from './run-command-line.ts';

const lingerMs = 1_000;
const folder = process.env['PALIMPSEST_HOME'] ?? process.cwd();
const env = { ...parseEnv(readDotEnv()), ...process.env };
const code = await runCommandLine({ env, folder }, process.argv.slice(2));
if (code !== null) process.exitCode = code;
// Whatever counts has ended by now. What a library left behind, such as the wait of a request that it then refused, keeps
// nobody waiting.
setTimeout(() => process.exit(), lingerMs).unref();

/** `.env` beside us; without one the environment is all there is. */
function readDotEnv(): string {
  try {
    return readFileSync('.env', 'utf8');
  } catch (thrown) {
    const problem = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown';
    if (problem !== 'ENOENT') process.stderr.write(`.env cannot be read (${problem}) and is passed over\n`);
    return '';
  }
}

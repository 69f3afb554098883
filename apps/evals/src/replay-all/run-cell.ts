import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReplayReport } from '@palimpsest/cli';
import type { EvalContext } from '../context.ts';
import { judge } from './judge.ts';
import type { Cell } from './matrix.ts';

const program = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url));
/** A replay takes about half a minute; one that takes this long hangs. */
const longestMs = 600_000;
/** Of what a failed replay wrote to standard error. */
const shownCharacters = 500;

export interface CellResult {
  cell: Cell;
  /** null when the replay ended without a report. */
  report: ReplayReport | null;
  broken: readonly string[];
}

export interface Servers {
  databaseUrl: string;
  redisUrl: string | null;
}

/** Run `palimpsest replay` as a person would, in a process of its own, and judge its report. */
export async function runCell(cell: Cell, context: EvalContext, servers: Servers): Promise<CellResult> {
  if (cell.queue === 'redis' && servers.redisUrl === null)
    return { cell, report: null, broken: ['no Redis here'] };
  const file = resolve(context.folder, '../shared/transcripts', cell.file);
  const flags = ['--platform', cell.platform, '--window', String(cell.window), '--speed', 'max', '--json'];
  flags.push('--engine', cell.engine, '--nudges', cell.nudges);
  const { output, errors, code } = await run([program, 'replay', file, ...flags], {
    cwd: context.folder,
    // Empty, not left out: a .env file would fill it in.
    env: {
      ...context.env,
      DATABASE_URL: servers.databaseUrl,
      REDIS_URL: cell.queue === 'redis' ? (servers.redisUrl ?? '') : '',
    },
    signal: context.signal,
  });
  const report = parse(output);
  if (report) return { cell, report, broken: judge(cell, report) };
  const said = errors.trim().slice(-shownCharacters);
  return { cell, report: null, broken: [`no report, exit code ${code}: ${said}`] };
}

async function run(
  args: readonly string[],
  options: { cwd: string; env: EvalContext['env']; signal: AbortSignal },
): Promise<{ output: string; errors: string; code: number | null }> {
  const ending = AbortSignal.any([options.signal, AbortSignal.timeout(longestMs)]);
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const stop = (): void => void child.kill('SIGTERM');
  ending.addEventListener('abort', stop, { once: true });
  const [code] = (await once(child, 'close')) as [number | null];
  ending.removeEventListener('abort', stop);
  return { output, errors, code };
}

function parse(output: string): ReplayReport | null {
  try {
    return JSON.parse(output) as ReplayReport;
  } catch {
    return null; // It ended early; standard error says why.
  }
}

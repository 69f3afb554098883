/** The operators' pages as a process of their own, and what it takes. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, type Program } from '../../chaos/program.ts';

/** Clock ticks a second in /proc; Linux shows processor time so. */
const ticksPerSecond = 100;

/** Serving when it resolves; ended with `stack`. */
export async function startDashboard(
  stack: AsyncDisposableStack,
  databaseUrl: string,
  outside: Readonly<Record<string, string | undefined>>,
): Promise<{ url: string; pid: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...outside, DATABASE_URL: databaseUrl, PORT: '0', PALIMPSEST_DATA: folder };
  const program = launch({
    command: ['apps/cli/src/main.ts', 'dashboard'],
    env: Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'REDIS_URL')) as Record<
      string,
      string
    >,
    folder,
  });
  stack.defer(() => program.kill());
  return { url: await untilServing(program), pid: program.pid };
}

async function untilServing(program: Program): Promise<string> {
  for (;;) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(program.output()) ?? [];
    if (url !== undefined) return url;
    const ended = await Promise.race([
      program.ended,
      new Promise<null>((resolve) => setTimeout(() => resolve(null), 50)),
    ]);
    if (ended) throw new Error(`the dashboard did not start:\n${program.log().slice(-2_000)}`);
  }
}

/** Of all its threads, in itself and in the kernel. */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

export function memoryMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1_024);
}

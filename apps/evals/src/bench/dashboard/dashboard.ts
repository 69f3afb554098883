/** What the operators' pages cost a process of their own, and how quick they stay over many and over long sessions. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@palimpsest/core';
import { migrate, openStore } from '@palimpsest/store';
import { createScratchDatabase, fillSessions } from '@palimpsest/testkit';
import { launch, type Program } from '../../chaos/program.ts';
import type { BenchInput } from '../bench-input.ts';
import { quantiles, rounded, type Figures } from '../figures.ts';
import { timeOf } from '../time-of.ts';
import { LivePage } from './live-page.ts';

const sessions = 10_000;
const longRows = 20_000;
const livePages = 50;
/** What happens in a second, of which every page is told. */
const changesPerSecond = 20;
const watchedMs = 20_000;
const timesEach = 15;
/** Clock ticks a second in /proc; Linux shows processor time so. */
const ticksPerSecond = 100;

/** 50 open overviews over 10,000 sessions, then single reads of the largest lists. */
export async function benchDashboard({ services, env: outside }: BenchInput): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createScratchDatabase(await services.databaseUrl(), 'bench'));
  await migrate(database.url);
  await fillSessions(database.url, { after: 0, sessions, rows: 4 });
  await fillSessions(database.url, { after: sessions, sessions: 1, rows: longRows });
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...outside, DATABASE_URL: database.url, PORT: '0', PALIMPSEST_DATA: folder };
  const program = launch({
    command: ['apps/cli/src/main.ts', 'dashboard'],
    env: Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'REDIS_URL')) as Record<
      string,
      string
    >,
    folder,
  });
  stack.defer(() => program.kill());
  const url = await untilServing(program);
  return { ...(await readOnce(url)), ...(await watch(url, { pid: program.pid, databaseUrl: database.url })) };
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

/** Each list as a page asks for it. Answers are shared for a moment, so each time it is a little different question. */
async function readOnce(url: string): Promise<Figures> {
  const long = `/api/sessions/other-${sessions + 1}`;
  const paths: Readonly<Record<string, (time: number) => string>> = {
    sessions_10k_newest: (time) => `/api/sessions?limit=${50 + time}`,
    sessions_10k_by_context: (time) => `/api/sessions?order=context&limit=${50 + time}`,
    sessions_10k_by_cost: (time) => `/api/sessions?order=cost&limit=${50 + time}`,
    sessions_10k_search: (time) => `/api/sessions?search=other-${77 + time}`,
    sessions_10k_last_page: (time) => `/api/sessions?limit=50&offset=${sessions - 50 - time}`,
    compaction_board: (time) => `/api/board/compactions?hours=${24 + time}`,
    session_20k_head: () => long,
    session_20k_context: () => `${long}/context`,
    session_20k_text_first_page: (time) => `${long}/palimpsest?limit=${100 + time}`,
    session_20k_rows_page: (time) => `${long}/rows?limit=${100 + time}`,
  };
  const figures: Figures = {};
  for (const [name, path] of Object.entries(paths)) {
    const times: number[] = [];
    for (let time = 0; time < timesEach; time++) times.push(await timeOf(() => read(`${url}${path(time)}`)));
    Object.assign(figures, quantiles(name, times, [0.5, 0.95]));
  }
  return figures;
}

async function read(address: string): Promise<void> {
  const answer = await fetch(address);
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
}

async function watch(
  url: string,
  { pid, databaseUrl }: { pid: number; databaseUrl: string },
): Promise<Figures> {
  using stack = new DisposableStack();
  const pages = Array.from({ length: livePages }, () => stack.use(new LivePage(url)));
  await Promise.all(pages.map((page) => page.open()));
  const before = processorSeconds(pid);
  const startedAt = performance.now();
  await changeSessions(databaseUrl);
  const seconds = (performance.now() - startedAt) / 1_000;
  const processor = processorSeconds(pid) - before;
  const times = pages.flatMap((page) => page.timesMs);
  return {
    live_pages: livePages,
    changes_per_second: changesPerSecond,
    dashboard_cpu_percent_of_a_core: rounded((processor / seconds) * 100),
    dashboard_memory_mb: memoryMb(pid),
    readings_per_second: rounded(times.length / seconds),
    ...quantiles('reading', times, [0.5, 0.95, 0.99]),
  };
}

/** Somebody asks something of a session so often; each is a row, and every page is told. */
async function changeSessions(databaseUrl: string): Promise<void> {
  const store = await openStore({ databaseUrl, logger: silentLogger, poolSize: 1 });
  const until = performance.now() + watchedMs;
  for (let change = 0; performance.now() < until; change++) {
    await store.operators.request(`other-${1 + (change % sessions)}`, { name: 'help', argument: '' });
    await new Promise((resolve) => {
      setTimeout(resolve, 1_000 / changesPerSecond);
    });
  }
  await store.close();
}

/** Of all its threads, in itself and in the kernel. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function memoryMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1_024);
}

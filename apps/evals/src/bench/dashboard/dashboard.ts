/** What the operators' pages cost a process of their own, and how quick they stay over many and over long sessions. */
import { silentLogger } from '@palimpsest/core';
import { migrate, openStore } from '@palimpsest/store';
import { createScratchDatabase, fillSessions } from '@palimpsest/testkit';
import type { BenchInput } from '../bench-input.ts';
import { quantiles, rounded, type Figures } from '../figures.ts';
import { timeOf } from '../time-of.ts';
import { benchBesidePipeline } from './beside-pipeline.ts';
import { memoryMb, processorSeconds, startDashboard } from './dashboard-process.ts';
import { livePages, LivePages } from './live-pages.ts';

/** Of the long session; half as many are the other sessions. */
const usualRows = 20_000;
/** What happens in a second, of which every page is told. */
const changesPerSecond = 20;
const timesEach = 15;

/** 50 open overviews over 10,000 sessions, single reads of the largest lists, and what watching costs the messages. */
export async function benchDashboard(input: BenchInput): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const longRows = input.sizes.rows || usualRows;
  const sessions = Math.ceil(longRows / 2);
  const database = stack.use(await createScratchDatabase(await input.services.databaseUrl(), 'bench'));
  await migrate(database.url);
  await fillSessions(database.url, { after: 0, sessions, rows: 4 });
  await fillSessions(database.url, { after: sessions, sessions: 1, rows: longRows });
  const { url, pid } = await startDashboard(stack, database.url, input.env);
  const lists = await readOnce(url, sessions);
  // Twice a step of the load bench.
  const watchedMs = input.sizes.seconds * 2_000;
  const watched = await watch(url, { pid, databaseUrl: database.url, sessions, watchedMs });
  return { ...lists, ...watched, ...(await benchBesidePipeline(input)) };
}

/** Each list as a page asks for it. Answers are shared for a moment, so each time it is a little different question. */
async function readOnce(url: string, sessions: number): Promise<Figures> {
  const long = `/api/sessions/other-${sessions + 1}`;
  const paths: Readonly<Record<string, (time: number) => string>> = {
    sessions_10k_newest: (time) => `/api/sessions?limit=${50 + time}`,
    sessions_10k_by_context: (time) => `/api/sessions?order=context&limit=${50 + time}`,
    sessions_10k_by_cost: (time) => `/api/sessions?order=cost&limit=${50 + time}`,
    sessions_10k_search: (time) => `/api/sessions?search=other-${77 + time}`,
    sessions_10k_last_page: (time) => `/api/sessions?limit=50&offset=${Math.max(0, sessions - 50 - time)}`,
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

interface Changed {
  databaseUrl: string;
  sessions: number;
  watchedMs: number;
}

async function watch(url: string, { pid, ...changed }: Changed & { pid: number }): Promise<Figures> {
  await using pages = await LivePages.open(url);
  const before = processorSeconds(pid);
  const startedAt = performance.now();
  await changeSessions(changed);
  const seconds = (performance.now() - startedAt) / 1_000;
  const processor = processorSeconds(pid) - before;
  const gaps = await pages.gapsMs();
  return {
    live_pages: livePages,
    changes_per_second: changesPerSecond,
    dashboard_cpu_percent_of_a_core: rounded((processor / seconds) * 100),
    dashboard_memory_mb: memoryMb(pid),
    tellings_per_second: rounded(gaps.length / seconds),
    ...quantiles('telling_gap', gaps, [0.5, 0.95, 0.99]),
  };
}

/** Somebody asks something of a session so often; each is a row, and every page is told. */
async function changeSessions({ databaseUrl, sessions, watchedMs }: Changed): Promise<void> {
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

/** Open pages are told what they show: once looked up for all of them, and only what changed. */
import { systemClock } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { ask, listen, startPages, type LiveStream, type PagesUnderTest } from '../support/dashboard.ts';
import { FakeWorld, ledgerRow, overview } from '../support/dashboard-world.ts';
import { until } from '../support/until.ts';

const sessions = '/api/sessions?limit=6';
const compactions = '/api/compactions?limit=8';
const ours = { 'Sec-Fetch-Site': 'same-origin' };
const change = { kind: 'compaction', sessionId: 's' } as const;

function listenTo(pages: PagesUnderTest, paths: readonly string[], headers = {}): Promise<LiveStream> {
  const query = paths.map((path) => `read=${encodeURIComponent(path)}`).join('&');
  return listen(`${pages.url}/api/live?${query}`, { ...ours, ...headers });
}

const told = async (stream: LiveStream): Promise<unknown> => (await stream.next('answers')).data;

/** A world that counts how often its sessions are read. */
function countingWorld(): { world: FakeWorld; reads: () => number; deps: object } {
  const world = new FakeWorld();
  const { operators } = world.deps();
  let reads = 0;
  const counted: typeof operators.sessions = (wish) => (reads++, operators.sessions(wish));
  return { world, reads: () => reads, deps: { operators: { ...operators, sessions: counted } } };
}

test('a page is told everything at first, then what changed and nothing else', async () => {
  await using pages = await startPages();
  pages.world.sessions = [overview({ chatTitle: 'Ann' })];
  using stream = await listenTo(pages, [sessions, compactions]);

  const first = await told(stream);
  pages.world.ledger = [ledgerRow()];
  pages.world.tell(change);
  const second = await told(stream);

  expect(first).toMatchObject({
    [sessions]: { sessions: [{ chatTitle: 'Ann' }], next: null },
    [compactions]: { compactions: [] },
  });
  expect(second).toMatchObject({ [compactions]: { compactions: [{ id: 7, outcome: 'success' }] } });
  expect(Object.keys(second as object)).toEqual([compactions]);
});

test('ten pages that show the same cost the database one look', async () => {
  const { world, reads, deps } = countingWorld();
  await using pages = await startPages({ world, deps });
  await using streams = new AsyncDisposableStack();

  const opened = await Promise.all(Array.from({ length: 10 }, () => listenTo(pages, [sessions])));
  for (const stream of opened) streams.use(stream);
  await Promise.all(opened.map(told));
  const atFirst = reads();
  world.sessions = [overview({ chatTitle: 'Ben' })];
  for (let notice = 0; notice < 20; notice++) world.tell(change);
  const later = await Promise.all(opened.map(told));

  expect([atFirst, reads()]).toEqual([1, 2]);
  expect(later).toMatchObject(later.map(() => ({ [sessions]: { sessions: [{ chatTitle: 'Ben' }] } })));
});

test('a page that comes back after a break is told everything as it is by then', async () => {
  await using pages = await startPages();
  const before = await listenTo(pages, [sessions, compactions]);
  await told(before);
  before[Symbol.dispose]();
  await until(() => pages.world.listeners === 0);
  pages.world.ledger = [ledgerRow()];

  using back = await listenTo(pages, [sessions, compactions]);

  expect(await told(back)).toMatchObject({
    [sessions]: { sessions: [] },
    [compactions]: { compactions: [{ id: 7 }] },
  });
});

test('while the database is away pages are told so, and everything when it is back', async () => {
  await using pages = await startPages();
  using stream = await listenTo(pages, [sessions]);
  await told(stream);

  pages.world.away = true;
  pages.world.tell(change);
  const problem = await stream.next('problem');
  pages.world.away = false;
  pages.world.tell(change);

  expect(problem.data).toEqual({
    error: { code: 'database_unavailable', message: 'the database does not answer; start it again' },
  });
  expect(await told(stream)).toMatchObject({ [sessions]: { sessions: [] } });
});

test('a viewer is told figures without texts, also while an operator listens to the same', async () => {
  const password = 'open sesame 1';
  const viewerPassword = 'only a look 2';
  await using pages = await startPages({ password, viewerPassword });
  pages.world.ledger = [ledgerRow({ summaryText: 'they met at the ferry' })];
  using operator = await listenTo(pages, [compactions], { Authorization: `Bearer ${password}` });
  using viewer = await listenTo(pages, [compactions], { Authorization: `Bearer ${viewerPassword}` });

  const [toOperator, toViewer] = await Promise.all([told(operator), told(viewer)]);

  expect(toOperator).toMatchObject({
    [compactions]: { compactions: [{ summaryText: 'they met at the ferry' }] },
  });
  expect(toViewer).toMatchObject({ [compactions]: { compactions: [{ id: 7, summaryText: '(hidden)' }] } });
});

test('only our pages listen, and only to answers that are the same for all', async () => {
  await using pages = await startPages({ password: 'open sesame 1' });
  const authorized = { Authorization: 'Bearer open sesame 1' };
  const statusOf = async (query: string, headers: Record<string, string>): Promise<number> =>
    (await ask(`${pages.url}/api/live?${query}`, { headers })).status;

  expect([
    await statusOf('read=/api/sessions', ours),
    await statusOf('read=/api/sessions', { ...authorized, 'Sec-Fetch-Site': 'cross-site' }),
    await statusOf('read=/api/chat/main/history', { ...authorized, ...ours }),
    await statusOf('read=/api/sessions/../chat/main', { ...authorized, ...ours }),
    await statusOf('read=/api/events', { ...authorized, ...ours }),
    await statusOf('', { ...authorized, ...ours }),
  ]).toEqual([401, 403, 400, 400, 400, 400]);
});

test('after an hour a stream ends, and whoever comes again is asked who they are', async () => {
  let now = Date.now();
  const clock = { ...systemClock, now: () => new Date(now) };
  await using pages = await startPages({ deps: { clock } });
  using stream = await listenTo(pages, [sessions]);
  await told(stream);

  now += 3_600_000;
  pages.world.sessions = [overview()];
  pages.world.tell(change);

  await stream.ended;
});

import { expect, test } from 'vitest';
import { ask, listen, startPages } from '../support/dashboard.ts';
import { FakeWorld, ledgerRow, overview } from '../support/dashboard-world.ts';

test('sessions come with their context use: counted by the model, else estimated from the live rows', async () => {
  await using pages = await startPages();
  pages.world.sessions = [
    overview({ id: 's1', lastPromptTokens: 6_000, liveTokens: 5_000 }),
    overview({ id: 's2', lastPromptTokens: -1, liveTokens: 1_200 }),
    overview({ id: 's3', lastPromptTokens: 0, liveTokens: 90 }),
  ];

  const { sessions } = (await ask(`${pages.url}/api/sessions`)).json();

  expect(sessions).toMatchObject([
    { id: 's1', contextTokens: 6_000, contextSource: 'counted', windowTokens: 8_000 },
    { id: 's2', contextTokens: 1_200, contextSource: 'estimated' },
    { id: 's3', contextTokens: 90, contextSource: 'estimated' },
  ]);
});

test('one session comes with its own ledger and what it cost so far, an unknown one is 404', async () => {
  await using pages = await startPages();
  pages.world.sessions = [overview({ id: 's1' })];
  pages.world.ledger = [ledgerRow({ id: 9, sessionId: 's1' }), ledgerRow({ id: 8, sessionId: 'other' })];
  pages.world.spending = { ...pages.world.spending, calls: 3, dollars: 0.25 };

  const found = (await ask(`${pages.url}/api/sessions/s1`)).json();
  const ledger = (await ask(`${pages.url}/api/sessions/s1/compactions`)).json();

  expect(found).toMatchObject({
    session: { id: 's1' },
    spending: { calls: 3, dollars: 0.25 },
    newestCompaction: { id: 9, outcome: 'success' },
  });
  expect(ledger['compactions']).toMatchObject([{ id: 9, outcome: 'success' }]);
  expect((await ask(`${pages.url}/api/sessions/nobody`)).status).toBe(404);
});

test('the ledger of all sessions pages backwards', async () => {
  await using pages = await startPages();
  pages.world.ledger = [ledgerRow({ id: 3 }), ledgerRow({ id: 2 }), ledgerRow({ id: 1 })];

  const { compactions } = (await ask(`${pages.url}/api/compactions?limit=1&before=3`)).json();

  expect(compactions).toMatchObject([
    { id: 2, layer: 'hygiene', figures: { tokensBefore: 6_900, tokensAfter: 2_100 } },
  ]);
});

test('rows come in pages by seq, long texts cut with how much is left out', async () => {
  await using pages = await startPages();
  const row = {
    role: 'user',
    kind: 'person',
    tokens: 5,
    sentAt: new Date(0),
    toolCallIds: [],
    archivedBy: null,
  } as const;
  pages.world.rows = [
    { ...row, id: 1, seq: 1024, state: 'live', parts: [{ type: 'text', text: 'y'.repeat(4_100) }] },
    { ...row, id: 2, seq: 2048, state: 'live', parts: [{ type: 'text', text: 'short' }] },
  ];

  const first = (await ask(`${pages.url}/api/sessions/s1/rows?limit=1`)).json();
  const second = (await ask(`${pages.url}/api/sessions/s1/rows?limit=2&after=1024`)).json();

  expect(first).toMatchObject({ rows: [{ id: 1, cut: 100 }], next: 1024 });
  expect(second).toMatchObject({ rows: [{ id: 2, text: 'short', cut: 0 }], next: null });
});

test('the overview shows who was turned away with the line that lets them in', async () => {
  await using pages = await startPages();
  const denied = {
    platform: 'telegram',
    senderId: '12345',
    chatId: '12345',
    reason: 'not_allowlisted',
    times: 2,
  } as const;
  pages.world.denied = [{ ...denied, lastAt: new Date(0) }];

  const answer = (await ask(`${pages.url}/api/overview`)).json();

  expect(answer['denied']).toMatchObject([{ letIn: 'npm run -s palimpsest -- access allow telegram 12345' }]);
  expect(answer['model']).toEqual({ label: 'offline/responder', windowTokens: 8_000 });
});

test('the overview can be read while the queue is away', async () => {
  const queue = {
    backend: 'redis',
    ping: async () => {},
    counts: () => Promise.reject(new Error('away')),
  } as const;
  const world = new FakeWorld();
  await using pages = await startPages({ world, deps: { queue: { ...world.deps().queue, ...queue } } });

  expect((await ask(`${pages.url}/api/overview`)).json()['queue']).toEqual({
    backend: 'redis',
    counts: null,
  });
});

test('a compaction is told to pages that look', async () => {
  await using pages = await startPages();
  using stream = await listen(`${pages.url}/api/events`, { 'Sec-Fetch-Site': 'same-origin' });
  await stream.next('hello');

  pages.world.tell({ kind: 'compaction', sessionId: 's1' });

  await stream.next('changed');
});

test('a number that is none is a clear error', async () => {
  await using pages = await startPages();

  const answer = await ask(`${pages.url}/api/sessions?limit=lots`);

  expect([answer.status, answer.text]).toEqual([
    400,
    '{"error":{"code":"input_invalid","message":"\\"lots\\" is no whole number from 1 to 500"}}',
  ]);
});

test('with the database away the API is 503 and pages still load', async () => {
  await using pages = await startPages();
  pages.world.away = true;

  expect((await ask(`${pages.url}/api/sessions`)).status).toBe(503);
  expect((await ask(`${pages.url}/`)).status).toBe(200);
});

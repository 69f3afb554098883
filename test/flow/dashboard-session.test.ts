/** What operators read of one session, over HTTP, from rows on real Postgres. */
import { contextReader } from '@palimpsest/dashboard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan, sessionWith } from '../support/compacted-sessions.ts';
import { ask, type Answer } from '../support/dashboard.ts';
import { noPlan, openCompaction, planRow, summaryPlan } from '../support/plans.ts';
import { startStorePages, startWorldPages, unknownModels } from '../support/session-pages.ts';
import { assistantRow, openStoreWorld, personRow, type StoreWorld } from '../support/store-world.ts';
import { answering, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

interface Row {
  id: number;
  seq: number;
  text: string;
  state: string;
}
interface Place {
  kind: string;
  row: Row;
  under: number;
}

const placesOf = (answer: Answer) =>
  (answer.json()['places'] as Place[]).map(({ row, under }) => [row.text, under]);
const textsOf = (answer: Answer) => (answer.json()['rows'] as Row[]).map(({ text }) => text);

/** Four lines under one summary, that and one more line under a second, three lines live. */
async function twiceCondensed() {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']);
  await applyPlan(world, session, summaryPlan(session.ids.slice(0, 4), 'first summary'));
  const live = await world.transcript.liveRows(session.sessionId);
  const first = live.find((row) => row.kind === 'summary')!;
  await applyPlan(world, session, summaryPlan([first.id, session.ids[4]!], 'second summary'));
  return session;
}

test('the page stands as the model reads it, and every line lies under the newest summary, read in pages', async () => {
  const { sessionId } = await twiceCondensed();
  await using pages = await startStorePages(world);
  const path = `${pages.url}/api/sessions/${sessionId}/palimpsest`;

  const first = await ask(`${path}?limit=2`);
  const rest = await ask(`${path}?after=${String(first.json()['next'])}`);
  const [{ row: summary }] = first.json()['places'] as [Place];
  const under = await ask(`${path}/${summary.id}/rows?limit=3`);
  const further = await ask(`${path}/${summary.id}/rows?limit=3&after=${String(under.json()['next'])}`);

  expect(placesOf(first)).toEqual([
    ['second summary', 5],
    ['six', 0],
  ]);
  expect(placesOf(rest)).toEqual([
    ['seven', 0],
    ['eight', 0],
  ]);
  expect([first.json()['total'], rest.json()['next']]).toEqual([4, null]);
  expect(textsOf(under)).toEqual(['one', 'two', 'three']);
  expect(textsOf(further)).toEqual(['four', 'five']);
  expect(further.json()).toMatchObject({ next: null, total: 5, rows: [{ state: 'archived' }, {}] });
});

test('a row that stands for another one has that one underneath', async () => {
  const session = await sessionWith(world, ['one', 'two']);
  const [one] = session.ids as [number, number];
  const write = [planRow(personRow('one, shorter'), { kind: 'replaces', rowId: one })];
  await applyPlan(world, session, summaryPlan([one], '', { write }));
  await using pages = await startStorePages(world);
  const path = `${pages.url}/api/sessions/${session.sessionId}/palimpsest`;

  const page = await ask(path);
  const [{ row }] = page.json()['places'] as [Place];

  expect(placesOf(page)).toEqual([
    ['one, shorter', 1],
    ['two', 0],
  ]);
  expect(textsOf(await ask(`${path}/${row.id}/rows`))).toEqual(['one']);
});

test('everything ever stored is read in pages of 200 rows at most, of one state where that is asked', async () => {
  const { sessionId } = await twiceCondensed();
  await using pages = await startStorePages(world);
  const path = `${pages.url}/api/sessions/${sessionId}/rows`;

  const all = await ask(path);
  const archived = await ask(`${path}?state=archived`);
  const tooMany = await ask(`${path}?limit=201`);
  const noState = await ask(`${path}?state=gone`);

  expect(textsOf(all)).toHaveLength(10);
  expect(textsOf(archived).toSorted()).toEqual(['first summary', 'five', 'four', 'one', 'three', 'two']);
  expect([tooMany.status, tooMany.json()['error']]).toEqual([
    400,
    { code: 'input_invalid', message: '"201" is no whole number from 1 to 200' },
  ]);
  expect([noState.status, noState.text.includes('state: ')]).toEqual([400, true]);
});

test('a long row is cut, and its rest is read from where it ended', async () => {
  const session = await world.newSession();
  const [row] = await world.append(session.lease, [
    assistantRow(`${'x'.repeat(4_000)}${'y'.repeat(21_000)}`),
  ]);
  await using pages = await startStorePages(world);
  const path = `${pages.url}/api/sessions/${session.sessionId}/rows`;

  const list = await ask(path);
  const rest = (await ask(`${path}/${row!.id}/text?from=4000`)).json() as { text: string; next: number };
  const end = (await ask(`${path}/${row!.id}/text?from=${rest.next}`)).json();

  expect(list.json()['rows']).toMatchObject([{ cut: 21_000 }]);
  expect([rest.text, rest.next]).toEqual(['y'.repeat(20_000), 24_000]);
  expect(end).toEqual({ text: 'y'.repeat(1_000), next: null });
  expect((await ask(`${path}/999999999/text`)).status).toBe(404);
});

test('the timeline has every attempt, newest first, with what its summary cost where the price is known', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const applied = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'the summary'));
  const declined = await openCompaction(world.compactions, session.sessionId);
  await world.compactions.closeWithout(declined, noPlan({ outcome: 'skipped', reason: 'cooldown' }), null);
  // Dollars per million: 5,000 tokens in at 1, 200 out at 5.
  const price = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };
  const context = {
    ...unknownModels,
    price: (model: string) => (model === 'small-model' ? price : null),
  };
  await using pages = await startStorePages(world, { deps: { context } });
  const path = `${pages.url}/api/sessions/${session.sessionId}/compactions`;

  const first = (await ask(`${path}?limit=1`)).json();
  const rest = (await ask(`${path}?limit=5&before=${String(first['next'])}`)).json();

  expect(first['compactions']).toMatchObject([
    { id: declined, outcome: 'skipped', reason: 'cooldown', figures: null, dollars: null },
  ]);
  expect(rest).toMatchObject({
    next: null,
    compactions: [
      {
        id: applied,
        layer: 'agent',
        trigger: 'threshold',
        outcome: 'success',
        summaryModel: 'small-model',
        summaryText: 'the summary',
        figures: { tokensBefore: 9_000, tokensAfter: 3_000, rowsArchived: 5 },
      },
    ],
  });
  expect((rest['compactions'] as { dollars: number }[])[0]!.dollars).toBeCloseTo(0.006, 9);
});

test('the context is told by part, with the trigger, the hard limit and why nothing is done yet', async () => {
  await using turns = await openTurnWorld({ script: answering(), window: 16_000 });
  await talk(turns, 2);
  await using pages = await startWorldPages(turns);
  const path = `${pages.url}/api/sessions/${await turns.sessionId()}`;

  const { context } = (await ask(`${path}/context`)).json() as { context: Record<string, number> };
  const head = (await ask(path)).json();

  expect(context).toMatchObject({
    engine: 'compressor',
    model: 'anthropic/claude-sonnet-5',
    summaryModel: 'summariser',
    windowTokens: 16_000,
    triggerTokens: 12_000,
    hardLimitTokens: 14_400,
    summaryTokens: 0,
    messages: 4,
    tools: 2,
    promptSource: 'api',
    decision: { kind: 'no', reason: 'below_threshold' },
    restUntil: null,
  });
  const rows = await turns.rows();
  // Both exchanges are within what is kept: the first one as head, the newest as tail.
  const [question, reply, ...newest] = rows.map((row) => row.tokens);
  expect(context).toMatchObject({
    headTokens: question! + reply!,
    middleTokens: 0,
    tailTokens: newest.reduce((sum, tokens) => sum + tokens, 0),
  });
  expect(context['systemTokens']).toBeGreaterThan(50);
  expect(context['toolTokens']).toBeGreaterThan(50);
  expect(head).toMatchObject({ session: { engine: 'compressor', liveRows: 4 }, spending: { calls: 2 } });
  expect((await ask(`${pages.url}/api/sessions/nobody/context`)).json()).toEqual({ context: null });
});

test('an attempt tells which rows it replaced, from when to when, and they are read by its number', async () => {
  const { sessionId, ids } = await twiceCondensed();
  await using pages = await startStorePages(world);
  const path = `${pages.url}/api/sessions/${sessionId}`;

  const { compactions } = (await ask(`${path}/compactions`)).json() as {
    compactions: { id: number; replaced: Record<string, unknown> }[];
  };
  const [second, first] = compactions;
  const under = await ask(`${path}/rows?archivedBy=${first!.id}&limit=3`);
  const further = await ask(
    `${path}/rows?archivedBy=${first!.id}&limit=3&after=${String(under.json()['next'])}`,
  );

  const rows = await world.transcript.page(sessionId, { afterSeq: 0, limit: 100 });
  const seqOf = (id: number): number => rows.find((row) => row.id === id)!.seq;
  expect(first!.replaced).toMatchObject({ rows: 4, firstSeq: seqOf(ids[0]!), lastSeq: seqOf(ids[3]!) });
  // The first summary and the fifth line.
  expect(second!.replaced).toMatchObject({ rows: 2, lastSeq: seqOf(ids[4]!) });
  expect([...textsOf(under), ...textsOf(further)]).toEqual(['one', 'two', 'three', 'four']);
});

test('the head tells who holds the session, in which epoch, and what went wrong last', async () => {
  const { sessionId, lease } = await twiceCondensed();
  await world.query(
    `UPDATE sessions SET lease_owner = 'worker-9', lease_until = now() + interval '1 min' WHERE id = $1`,
    [sessionId],
  );
  await world.query(
    `UPDATE compactions SET outcome = 'failed', reason = 'summary_auth' WHERE session_id = $1 AND id = (SELECT max(id) FROM compactions WHERE session_id = $1)`,
    [sessionId],
  );
  await using pages = await startStorePages(world);

  const head = (await ask(`${pages.url}/api/sessions/${sessionId}`)).json();

  expect(head['hold']).toEqual({
    epoch: lease.epoch,
    holder: 'worker-9',
    heldUntil: expect.stringMatching(/^20/),
    lastFailure: { what: 'compaction failed: summary_auth', at: expect.stringMatching(/^20/) },
  });
  await world.query('UPDATE sessions SET lease_until = NULL WHERE id = $1', [sessionId]);
  const free = (await ask(`${pages.url}/api/sessions/${sessionId}`)).json();
  expect(free['hold']).toMatchObject({ holder: null, heldUntil: null });
});

test('the middle of the context is what a preview would take out, between the first exchange and the newest rows', async () => {
  await using turns = await openTurnWorld({
    script: answering(),
    window: 32_000,
    config: 'compression: {background: false}',
  });
  await talk(turns, 12);
  const reader = contextReader(turns.workerDeps, turns.store);

  const context = await reader.read(await turns.sessionId());
  const preview = await reader.preview(await turns.sessionId(), undefined);

  const rows = (await turns.rows()).map((row) => row.tokens);
  const sum = (part: readonly number[]): number => part.reduce((tokens, one) => tokens + one, 0);
  const [range, ...others] = preview!.ranges;
  expect(others).toEqual([]);
  expect(range!.first).toBe(3);
  expect(range!.last).toBeLessThan(24);
  expect(context).toMatchObject({
    headTokens: sum(rows.slice(0, 2)),
    // The plan keeps one row of the middle, an answer, so that the summary and the next question are not of one role.
    middleTokens: range!.tokens + rows[range!.last]!,
    tailTokens: sum(rows.slice(range!.last + 1)),
  });
});

test('with a password nothing of a session is read by who has not signed in', async () => {
  const { sessionId } = await twiceCondensed();
  await using pages = await startStorePages(world, { password: 'correct horse' });
  const parts = [
    'context',
    'compactions',
    'palimpsest',
    'palimpsest/1/rows',
    'rows',
    'rows/1/text',
    'dcp',
    'dcp/blocks',
    'dcp/blocks/1/rows',
    'dcp/marks',
    'dcp/events',
    'lcm',
    'lcm/doctor',
    'lcm/context',
    'lcm/nodes',
    'lcm/nodes/sum_0a',
    'lcm/nodes/sum_0a/messages',
  ];

  const statuses = await Promise.all(
    parts.map(async (part) => (await ask(`${pages.url}/api/sessions/${sessionId}/${part}`)).status),
  );

  expect(statuses).toEqual(parts.map(() => 401));
});

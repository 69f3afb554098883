/** The one property: from the context every message is reached exactly once, whatever happened. */
import type { LcmItem, RowHeader } from '@palimpsest/core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan } from '../support/compacted-sessions.ts';
import { brokenRules, lcmOf, lcmOfAnother, lcmPlan, makeCondensed, makeLeaf } from '../support/lcm.ts';
import { openCompaction, planRow, summaryRow } from '../support/plans.ts';
import {
  assistantRow,
  openStoreWorld,
  personRow,
  type StoreWorld,
  type TestSession,
} from '../support/store-world.ts';
import { undoOf } from '../support/undo.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

type Step =
  | { kind: 'append'; rows: number }
  | { kind: 'leaf'; from: number; rows: number }
  | { kind: 'condense'; from: number; nodes: number }
  | { kind: 'undo' }
  | { kind: 'chapter'; keep: boolean }
  | { kind: 'switch' }
  | { kind: 'retry' }
  | { kind: 'crash' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), rows: fc.nat(7) }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('leaf' as const), from: fc.nat(3), rows: fc.nat(5) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('condense' as const), from: fc.nat(2), nodes: fc.nat(3) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('chapter' as const), keep: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('switch' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retry' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
);

/** A switch that writes two summary rows at once once gave each of them the rows of both. */
const twoSummariesOfOneSwitch: Step[] = [
  { kind: 'append', rows: 0 },
  { kind: 'leaf', from: 0, rows: 0 },
  { kind: 'append', rows: 1 },
  { kind: 'leaf', from: 1, rows: 0 },
  { kind: 'switch' },
];

interface Talk {
  session: TestSession;
  said: number;
}

test('THE property: every message is reached exactly once after appends, compactions, undos, chapters and switches', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const talk: Talk = { session: await world.newSession(), said: 0 };
      for (const one of steps) {
        await take(talk, one);
        expect(await brokenRules(world, talk.session.sessionId)).toEqual([]);
        await expectItemsAsStored(talk.session);
      }
    }),
    { numRuns: 40, examples: [[twoSummariesOfOneSwitch]] },
  );
}, 120_000);

/** The store remembers the items it read; they are always what one who never read before is given. */
async function expectItemsAsStored({ sessionId }: TestSession): Promise<void> {
  const { items } = await lcmOf(world).load(sessionId);
  expect(items).toEqual((await lcmOfAnother(world).load(sessionId)).items);
}

async function take(talk: Talk, one: Step): Promise<void> {
  const { session } = talk;
  switch (one.kind) {
    case 'append':
      return append(talk, one.rows);
    case 'leaf':
      return leaf(session, one);
    case 'condense':
      return condense(session, one);
    case 'undo':
      return undoNewest(session);
    case 'chapter':
      return chapter(session, one.keep);
    case 'switch':
      return leaveAndEnter(session);
    case 'retry':
      return retry(session);
    case 'crash':
      return crash(session);
  }
}

async function append(talk: Talk, count: number): Promise<void> {
  const rows = Array.from({ length: count + 1 }, () => {
    talk.said += 1;
    return talk.said % 2 === 0 ? personRow(`line ${talk.said}`) : assistantRow(`line ${talk.said}`);
  });
  await world.append(talk.session.lease, rows);
}

/** Live rows and items in the order of the context. */
async function context(
  session: TestSession,
): Promise<{ rows: readonly RowHeader[]; items: readonly LcmItem[] }> {
  const [rows, { items }] = await Promise.all([
    world.transcript.liveHeaders(session.sessionId),
    lcmOf(world).load(session.sessionId),
  ]);
  return { rows, items };
}

/** Neighbours only: no item between them. */
function runOf(rows: readonly RowHeader[], items: readonly LcmItem[], wish: { from: number; rows: number }) {
  const run: RowHeader[] = [];
  for (const row of rows.slice(wish.from, wish.from + wish.rows + 1)) {
    const before = run.at(-1);
    if (before && items.some((item) => item.ordinal > before.seq && item.ordinal < row.seq)) break;
    run.push(row);
  }
  return run;
}

async function leaf(session: TestSession, wish: { from: number; rows: number }): Promise<void> {
  const { rows, items } = await context(session);
  const run = runOf(rows, items, wish);
  const [first] = run;
  if (!first) return;
  const node = makeLeaf(session.sessionId, run, `about ${run.length} rows from ${first.seq}`);
  const change = { summaries: [node], addItems: [{ summaryId: node.id, ordinal: first.seq }] };
  await applyPlan(world, session, lcmPlan(change, { archive: node.messageIds }));
}

async function condense(session: TestSession, wish: { from: number; nodes: number }): Promise<void> {
  const { rows, items } = await context(session);
  const start = items[wish.from];
  if (!start) return;
  const run: LcmItem[] = [];
  for (const item of items.slice(wish.from, wish.from + wish.nodes + 2)) {
    const before = run.at(-1);
    if (item.depth !== start.depth) break;
    if (before && rows.some((row) => row.seq > before.ordinal && row.seq < item.ordinal)) break;
    run.push(item);
  }
  if (run.length < 2) return;
  const node = makeCondensed(session.sessionId, run, `about ${run.length} nodes from ${start.ordinal}`);
  const change = {
    summaries: [node],
    removeItems: node.sourceIds,
    addItems: [{ summaryId: node.id, ordinal: start.ordinal }],
  };
  await applyPlan(world, session, lcmPlan(change));
}

async function undoNewest(session: TestSession): Promise<void> {
  const ground = await world.compactions.undoGround(session.sessionId);
  // Half of a switch is no state to stop in: a session of this engine has no summary row of another one.
  if (ground) await undoOf(world, session, { compactionId: ground.compactionId });
  const { rows } = await context(session);
  if (rows.some((row) => row.kind === 'summary')) await enter(session);
}

async function chapter(session: TestSession, keep: boolean): Promise<void> {
  const { rows, items } = await context(session);
  const [session_] = await world.query<{ next_seq: string }>('SELECT next_seq FROM sessions WHERE id = $1', [
    session.sessionId,
  ]);
  if (rows.length === 0) return;
  const change = {
    removeItems: keep ? [] : items.map((item) => item.id),
    boundarySeq: Number(session_?.next_seq),
  };
  await applyPlan(world, session, lcmPlan(change, { archive: rows.map((row) => row.id) }));
}

/** To another engine and back: each run of summaries becomes one row in its place, and that a leaf. */
async function leaveAndEnter(session: TestSession): Promise<void> {
  const { rows, items } = await context(session);
  if (items.length === 0) return;
  const graph = await lcmOf(world).exportGraph(session.sessionId);
  const lastMessage = (id: string): number => {
    const node = graph.summaries.find((summary) => summary.id === id);
    return node?.messageIds.at(-1) ?? lastMessage(node?.sourceIds.at(-1) ?? '');
  };
  const ends = items.filter((item, index) => {
    const next = items[index + 1];
    return !next || rows.some((row) => row.seq > item.ordinal && row.seq < next.ordinal);
  });
  const write = ends.map((item) =>
    planRow(summaryRow(`up to ${item.ordinal}`), { kind: 'range', lastRowId: lastMessage(item.id) }),
  );
  const change = { removeItems: items.map((item) => item.id), leave: true };
  await applyPlan(world, session, lcmPlan(change, { write }));
  await enter(session);
}

async function enter(session: TestSession): Promise<void> {
  const { rows } = await context(session);
  const summaries = rows.filter((row) => row.kind === 'summary');
  const under = await lcmOf(world).rowsUnder(
    session.sessionId,
    summaries.map((row) => row.id),
  );
  const nodes = summaries.map((row) => {
    const covered = under.get(row.id) ?? [];
    const node = makeLeaf(session.sessionId, covered, `entered ${row.id}`);
    return { node, ordinal: covered[0]?.seq ?? 0 };
  });
  const change = {
    summaries: nodes.map(({ node }) => node),
    addItems: nodes.map(({ node, ordinal }) => ({ summaryId: node.id, ordinal })),
  };
  await applyPlan(world, session, lcmPlan(change, { archive: summaries.map((row) => row.id) }));
}

/** The same plan twice: the second is outdated. */
async function retry(session: TestSession): Promise<void> {
  const { rows, items } = await context(session);
  const run = runOf(rows, items, { from: 0, rows: 1 });
  const [first] = run;
  if (!first) return;
  const node = makeLeaf(session.sessionId, run, `twice from ${first.seq}`);
  const change = { summaries: [node], addItems: [{ summaryId: node.id, ordinal: first.seq }] };
  const plan = lcmPlan(change, { archive: node.messageIds });
  await applyPlan(world, session, plan);
  await expect(applyPlan(world, session, plan)).rejects.toMatchObject({ code: 'plan_outdated' });
}

/** Killed in the transaction: a plan whose last statement fails leaves nothing. */
async function crash(session: TestSession): Promise<void> {
  const { rows } = await context(session);
  const [first] = rows;
  if (!first) return;
  const node = makeLeaf(session.sessionId, [first], 'never');
  const change = { summaries: [node], addItems: [{ summaryId: 'sum_unknown', ordinal: 1 }] };
  await openCompaction(world.compactions, session.sessionId);
  await expect(applyPlan(world, session, lcmPlan(change, { archive: [first.id] }))).rejects.toMatchObject({
    code: 'input_invalid',
  });
}

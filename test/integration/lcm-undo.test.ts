import type { MessageRow } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan } from '../support/compacted-sessions.ts';
import { brokenRules, condense, contextOf, coverRows, lcmOf, lcmPlan, makeLeaf } from '../support/lcm.ts';
import { makePlan, planRow, summaryPlan, summaryRow } from '../support/plans.ts';
import { spokenLines } from '../support/spoken-lines.ts';
import {
  assistantRow,
  openStoreWorld,
  personRow,
  type StoreWorld,
  type TestSession,
} from '../support/store-world.ts';
import { rowsAsStored, statesOf, undoOf } from '../support/undo.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const talk = (count: number) => spokenLines(world, count);

test('an undone leaf gives its rows back and stays stored outside the context', async () => {
  const { session, rows } = await talk(3);
  const before = await rowsAsStored(world, session.sessionId);
  const { compactionId } = await coverRows(world, session, rows.slice(0, 2), 'one');

  await undoOf(world, session, { compactionId });

  expect(await contextOf(world, session.sessionId)).toEqual(['line 1', 'line 2', 'line 3']);
  expect(await rowsAsStored(world, session.sessionId)).toEqual(before);
  expect(await lcmOf(world).heads(session.sessionId)).toHaveLength(1);
  expect(await brokenRules(world, session.sessionId)).toEqual([]);
});

test('an undone condensation gives its sources back, and the same summary may come again', async () => {
  const { session, rows } = await talk(5);
  const one = await coverRows(world, session, rows.slice(0, 2), 'one');
  const two = await coverRows(world, session, rows.slice(2, 4), 'two');
  const { compactionId } = await condense(world, session, [one.leaf, two.leaf], 'both');
  await undoOf(world, session, { compactionId });
  const undone = await contextOf(world, session.sessionId);
  await condense(world, session, [one.leaf, two.leaf], 'both');

  expect(undone).toEqual(['(one)', '(two)', 'line 5']);
  expect(await contextOf(world, session.sessionId)).toEqual(['(both)', 'line 5']);
  expect(await lcmOf(world).heads(session.sessionId)).toHaveLength(3);
  expect(await brokenRules(world, session.sessionId)).toEqual([]);
});

test('what an undo would change counts the tokens of items', async () => {
  const { session, rows } = await talk(5);
  const one = await coverRows(world, session, rows.slice(0, 2), 'one');
  const two = await coverRows(world, session, rows.slice(2, 4), 'two');
  await condense(world, session, [one.leaf, two.leaf], 'both');

  expect(await world.compactions.undoGround(session.sessionId)).toMatchObject({
    restoredRows: 0,
    restoredTokens: 40,
    withdrawnTokens: 25,
  });
});

test('a new chapter keeps chosen summaries and records where it began; its undo brings all back', async () => {
  const { session, rows } = await talk(6);
  const one = await coverRows(world, session, rows.slice(0, 2), 'one');
  const two = await coverRows(world, session, rows.slice(2, 4), 'two');
  const boundarySeq = (rows[5]?.seq ?? 0) + 1;
  const chapter = lcmPlan(
    { removeItems: [one.leaf.id], boundarySeq },
    { archive: rows.slice(4).map((row) => row.id) },
  );
  const compactionId = await applyPlan(world, session, chapter);
  const kept = await contextOf(world, session.sessionId);
  const state = await lcmOf(world).load(session.sessionId);
  const rules = await brokenRules(world, session.sessionId);
  await undoOf(world, session, { compactionId });

  expect(kept).toEqual(['(two)']);
  expect(state.boundarySeq).toBe(boundarySeq);
  expect(rules).toEqual([]);
  expect(await contextOf(world, session.sessionId)).toEqual(['(one)', '(two)', 'line 5', 'line 6']);
  expect((await lcmOf(world).load(session.sessionId)).boundarySeq).toBe(0);
  expect(two.leaf.depth).toBe(0);
});

/** lcm → one summary row, as `leave` plans it. */
async function leave(session: TestSession, items: readonly string[], lastRow: MessageRow): Promise<number> {
  const plan = lcmPlan(
    { removeItems: items, leave: true },
    { write: [planRow(summaryRow('all before'), { kind: 'range', lastRowId: lastRow.id })] },
  );
  return applyPlan(world, session, plan);
}

test('a session that leaves the engine finds every covered row by archived_by, and enters again with all of them', async () => {
  const { session, rows } = await talk(6);
  const one = await coverRows(world, session, rows.slice(0, 2), 'one');
  const two = await coverRows(world, session, rows.slice(2, 4), 'two');
  const { node } = await condense(world, session, [one.leaf, two.leaf], 'both');

  const left = await leave(session, [node.id], rows[3]!);

  expect(await contextOf(world, session.sessionId)).toEqual(['all before', 'line 5', 'line 6']);
  const states = await statesOf(world, session.sessionId);
  expect(states.slice(0, 4).map((state) => state[3])).toEqual(Array(4).fill(String(left)));
  const summary = (await world.transcript.liveHeaders(session.sessionId)).find(
    (row) => row.kind === 'summary',
  )!;
  const under = await lcmOf(world).rowsUnder(session.sessionId, [summary.id]);
  expect(under.get(summary.id)?.map((row) => row.id)).toEqual(rows.slice(0, 4).map((row) => row.id));
});

test('an undone leave archives the rows again by whoever had archived them', async () => {
  const { session, rows } = await talk(6);
  const one = await coverRows(world, session, rows.slice(0, 2), 'one');
  const two = await coverRows(world, session, rows.slice(2, 4), 'two');
  const before = await statesOf(world, session.sessionId);
  const left = await leave(session, [one.leaf.id, two.leaf.id], rows[3]!);
  const ground = await world.compactions.undoGround(session.sessionId);

  await undoOf(world, session, { compactionId: left });

  expect(ground).toMatchObject({ restoredRows: 0, restoredTokens: 40, withdrawnRows: 1 });
  expect(await contextOf(world, session.sessionId)).toEqual(['(one)', '(two)', 'line 5', 'line 6']);
  const after = await statesOf(world, session.sessionId);
  expect(after.filter((state) => state[0] !== 'all before')).toEqual(before);
  expect(await brokenRules(world, session.sessionId)).toEqual([]);
});

test('under a summary of another engine lie the originals: through earlier summaries and copies, not those a copy keeps', async () => {
  const { session, rows } = await talk(7);
  // First compaction: 1 and 2 summed up, 4 stands as a copy that stays live.
  await applyPlan(
    world,
    session,
    makePlan({
      archive: [rows[0]!.id, rows[1]!.id, rows[3]!.id],
      write: [
        planRow(summaryRow('first'), { kind: 'range', lastRowId: rows[1]!.id }),
        planRow(assistantRow('stub of 4'), { kind: 'replaces', rowId: rows[3]!.id }),
      ],
    }),
  );
  const firstHeaders = await world.transcript.liveHeaders(session.sessionId);
  const first = firstHeaders.find((row) => row.kind === 'summary')!;
  const underFirst = await lcmOf(world).rowsUnder(session.sessionId, [first.id]);
  // Second compaction: the summary, line 3 and the copy are summed up.
  const stub = firstHeaders.find((row) => row.replaces === rows[3]!.id)!;
  await applyPlan(world, session, summaryPlan([first.id, rows[2]!.id, stub.id], 'second'));
  const second = (await world.transcript.liveHeaders(session.sessionId)).find(
    (row) => row.kind === 'summary',
  )!;
  const underSecond = await lcmOf(world).rowsUnder(session.sessionId, [second.id]);

  expect(underFirst.get(first.id)?.map((row) => row.id)).toEqual([rows[0]!.id, rows[1]!.id]);
  expect(underSecond.get(second.id)?.map((row) => row.id)).toEqual(rows.slice(0, 4).map((row) => row.id));
});

test('an entered session covers everything once, and its undo gives the summary row back', async () => {
  const { session, rows } = await talk(6);
  await applyPlan(
    world,
    session,
    summaryPlan(
      rows.slice(0, 4).map((row) => row.id),
      'theirs',
    ),
  );
  const summary = (await world.transcript.liveHeaders(session.sessionId))[0]!;
  const under = await lcmOf(world).rowsUnder(session.sessionId, [summary.id]);
  const covered = under.get(summary.id) ?? [];
  const leaf = makeLeaf(session.sessionId, covered, 'theirs');
  const entered = await applyPlan(
    world,
    session,
    lcmPlan(
      { summaries: [leaf], addItems: [{ summaryId: leaf.id, ordinal: covered[0]?.seq ?? 0 }] },
      { archive: [summary.id] },
    ),
  );
  const context = await contextOf(world, session.sessionId);
  const rules = await brokenRules(world, session.sessionId);
  await undoOf(world, session, { compactionId: entered });

  expect(context).toEqual(['(theirs)', 'line 5', 'line 6']);
  expect(rules).toEqual([]);
  expect(await contextOf(world, session.sessionId)).toEqual(['theirs', 'line 5', 'line 6']);
});

test('a summary that came along from a left session stands for itself', async () => {
  const session = await world.newSession();
  const [summary] = await world.append(session.lease, [summaryRow('from the parent'), personRow('hello')]);

  const under = await lcmOf(world).rowsUnder(session.sessionId, [summary!.id]);

  expect(under.get(summary!.id)?.map((row) => row.id)).toEqual([summary!.id]);
});

test('where one compaction wrote several summaries, each has its own rows under it', async () => {
  const { session, rows } = await talk(6);
  await applyPlan(
    world,
    session,
    makePlan({
      archive: [rows[0]!.id, rows[1]!.id, rows[3]!.id, rows[4]!.id],
      write: [
        planRow(summaryRow('of 1 and 2'), { kind: 'range', lastRowId: rows[1]!.id }),
        planRow(summaryRow('of 4 and 5'), { kind: 'range', lastRowId: rows[4]!.id }),
      ],
    }),
  );
  const summaries = (await world.transcript.liveHeaders(session.sessionId)).filter(
    (row) => row.kind === 'summary',
  );

  const under = await lcmOf(world).rowsUnder(
    session.sessionId,
    summaries.map((row) => row.id),
  );

  expect(summaries.map((row) => under.get(row.id)?.map(({ id }) => id))).toEqual([
    [rows[0]!.id, rows[1]!.id],
    [rows[3]!.id, rows[4]!.id],
  ]);
});

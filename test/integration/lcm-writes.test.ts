import { PlanOutdated } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan } from '../support/compacted-sessions.ts';
import {
  brokenRules,
  condense,
  contextOf,
  coverRows,
  lcmOf,
  lcmPlan,
  leafPlan,
  makeCondensed,
  makeLeaf,
} from '../support/lcm.ts';
import { planRow } from '../support/plans.ts';
import { spokenLines } from '../support/spoken-lines.ts';
import { assistantRow, openStoreWorld, personRow, type StoreWorld } from '../support/store-world.ts';
import { statesOf } from '../support/undo.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const talk = (count: number) => spokenLines(world, count);

test('A1 a leaf over the oldest rows stands first, is linked to exactly those, and archives only them', async () => {
  const { session, rows } = await talk(4);

  const { leaf, compactionId } = await coverRows(world, session, rows.slice(0, 2), 'both lines');

  expect(await contextOf(world, session.sessionId)).toEqual(['(both lines)', 'line 3', 'line 4']);
  expect(await statesOf(world, session.sessionId)).toEqual([
    ['line 1', 0, 1, String(compactionId)],
    ['line 2', 0, 1, String(compactionId)],
    ['line 3', 1, 0, null],
    ['line 4', 1, 0, null],
  ]);
  const edges = await world.query(
    'SELECT summary_id, ord, message_id::int FROM lcm_summary_messages WHERE session_id = $1 ORDER BY ord',
    [session.sessionId],
  );
  expect(edges).toEqual([
    { summary_id: leaf.id, ord: 0, message_id: rows[0]?.id },
    { summary_id: leaf.id, ord: 1, message_id: rows[1]?.id },
  ]);
});

test('A10 A11 a summary keeps the file ids of its source, and no row of a compaction is among the messages', async () => {
  const { session, rows } = await talk(4);
  const leaf = makeLeaf(session.sessionId, rows.slice(0, 2), 'about a file', {
    fileIds: ['file_0123456789abcdef', 'file_00000000000000aa'],
  });
  const plan = lcmPlan(
    { summaries: [leaf], addItems: [{ summaryId: leaf.id, ordinal: rows[0]?.seq ?? 0 }] },
    { archive: leaf.messageIds },
  );
  await applyPlan(world, session, plan);

  const { items } = await lcmOf(world).load(session.sessionId);
  expect(items.map((item) => item.fileIds)).toEqual([['file_0123456789abcdef', 'file_00000000000000aa']]);
  expect(await statesOf(world, session.sessionId)).toHaveLength(4);
});

test('a condensed node takes the place of its first source; the sources stay readable', async () => {
  const { session, rows } = await talk(6);
  const first = await coverRows(world, session, rows.slice(0, 2), 'one');
  const second = await coverRows(world, session, rows.slice(2, 4), 'two');

  const { node } = await condense(world, session, [first.leaf, second.leaf], 'one and two');

  expect(await contextOf(world, session.sessionId)).toEqual(['(one and two)', 'line 5', 'line 6']);
  const [body] = await lcmOf(world).summaries(session.sessionId, [node.id]);
  expect(body).toMatchObject({
    depth: 1,
    sourceIds: [first.leaf.id, second.leaf.id],
    content: 'one and two',
  });
  expect(await brokenRules(world, session.sessionId)).toEqual([]);
});

test('leaves and the node made from them may come in one change, and only the node enters the context', async () => {
  const { session, rows } = await talk(5);
  const one = makeLeaf(session.sessionId, rows.slice(0, 2), 'one');
  const two = makeLeaf(session.sessionId, rows.slice(2, 4), 'two');
  const node = makeCondensed(session.sessionId, [one, two], 'both');
  const change = {
    summaries: [one, two, node],
    addItems: [{ summaryId: node.id, ordinal: rows[0]?.seq ?? 0 }],
  };

  await applyPlan(world, session, lcmPlan(change, { archive: [...one.messageIds, ...two.messageIds] }));

  expect(await contextOf(world, session.sessionId)).toEqual(['(both)', 'line 5']);
  expect(await brokenRules(world, session.sessionId)).toEqual([]);
});

test('a plan over a row or an item that is gone is outdated and writes nothing', async () => {
  const { session, rows } = await talk(6);
  const first = await coverRows(world, session, rows.slice(0, 2), 'one');
  const second = await coverRows(world, session, rows.slice(2, 4), 'two');
  await condense(world, session, [first.leaf, second.leaf], 'both');

  const again = applyPlan(world, session, leafPlan(session.sessionId, rows.slice(0, 3), 'again'));
  const twice = condense(world, session, [first.leaf, second.leaf], 'both, other words');

  await expect(again).rejects.toThrow(PlanOutdated);
  await expect(twice).rejects.toThrow(PlanOutdated);
  expect(await lcmOf(world).heads(session.sessionId)).toHaveLength(3);
  expect(await contextOf(world, session.sessionId)).toEqual(['(both)', 'line 5', 'line 6']);
});

test('A12 a node that mixes depths, a leaf without messages, and a leaf over live rows are refused', async () => {
  const { session, rows } = await talk(8);
  const one = await coverRows(world, session, rows.slice(0, 2), 'one');
  const two = await coverRows(world, session, rows.slice(2, 4), 'two');
  const { node } = await condense(world, session, [one.leaf, two.leaf], 'deep');
  const three = await coverRows(world, session, rows.slice(4, 6), 'three');
  const mixed = makeCondensed(session.sessionId, [node, three.leaf], 'mixed');
  const empty = makeLeaf(session.sessionId, [rows[6]!], 'empty', { messageIds: [] });
  const live = makeLeaf(session.sessionId, [rows[6]!], 'over a live row');
  const unknown = makeLeaf(session.sessionId, [rows[6]!], 'unknown', { messageIds: [999_999_999] });

  for (const summary of [mixed, empty, live, unknown]) {
    const written = applyPlan(world, session, lcmPlan({ summaries: [summary] }));
    await expect(written, summary.content).rejects.toMatchObject({ code: 'input_invalid' });
  }
  expect(await lcmOf(world).heads(session.sessionId)).toHaveLength(4);
});

test('a change of the context without a compaction is refused', async () => {
  const { session, rows } = await talk(2);
  const { leaf } = await coverRows(world, session, rows.slice(0, 1), 'one');

  const written = lcmOf(world).write(session.lease, { removeItems: [leaf.id] });

  await expect(written).rejects.toMatchObject({ code: 'input_invalid' });
});

test('a stub that stood for a row is covered as that row', async () => {
  const { session, rows } = await talk(3);
  const replaced = rows[1]!;
  await applyPlan(
    world,
    session,
    lcmPlan(
      {},
      {
        archive: [replaced.id],
        write: [planRow(assistantRow('stub'), { kind: 'replaces', rowId: replaced.id })],
      },
    ),
  );
  const live = await world.transcript.liveHeaders(session.sessionId);

  await coverRows(world, session, live.slice(0, 2), 'both');

  const edges = await world.query<{ id: number }>(
    'SELECT message_id::int AS id FROM lcm_summary_messages WHERE session_id = $1 ORDER BY ord',
    [session.sessionId],
  );
  expect(edges.map((edge) => edge.id)).toEqual([rows[0]?.id, replaced.id]);
  expect(await brokenRules(world, session.sessionId)).toEqual([]);
});

test('of two plans over the same rows at once exactly one is applied', async () => {
  const { session, rows } = await talk(6);
  const plan = leafPlan(session.sessionId, rows.slice(0, 4), 'the same');
  const results = await Promise.allSettled([
    applyPlan(world, session, plan),
    applyPlan(world, session, plan),
  ]);

  expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await contextOf(world, session.sessionId)).toEqual(['(the same)', 'line 5', 'line 6']);
  expect(await brokenRules(world, session.sessionId)).toEqual([]);
});

test('what is appended while rows are replaced voids nothing and stands behind them', async () => {
  const { session, rows } = await talk(40);
  const plans = Array.from({ length: 9 }, (_, index) =>
    leafPlan(session.sessionId, rows.slice(index * 4, index * 4 + 4), `part ${index}`),
  );

  await Promise.all([
    ...plans.map((plan) => applyPlan(world, session, plan)),
    ...Array.from({ length: 20 }, (_, index) => world.append(session.lease, [personRow(`new ${index}`)])),
  ]);

  const context = await contextOf(world, session.sessionId);
  expect(context.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, index) => `(part ${index})`));
  expect(context).toHaveLength(9 + 4 + 20);
  expect(await brokenRules(world, session.sessionId)).toEqual([]);
});

test('a summary with NUL and a lone surrogate is stored without them', async () => {
  const { session, rows } = await talk(2);
  await coverRows(world, session, rows.slice(0, 1), 'a\0b \ud800 東京');

  expect(await contextOf(world, session.sessionId)).toEqual(['(ab \ufffd 東京)', 'line 2']);
});

test('a session with a graph is deleted in one statement, a message under a leaf not alone', async () => {
  const { session, rows } = await talk(6);
  const one = await coverRows(world, session, rows.slice(0, 2), 'one');
  const two = await coverRows(world, session, rows.slice(2, 4), 'two');
  await condense(world, session, [one.leaf, two.leaf], 'both');

  const alone = world.query('DELETE FROM messages WHERE session_id = $1 AND id = $2', [
    session.sessionId,
    rows[0]?.id,
  ]);
  await expect(alone).rejects.toMatchObject({ code: '23503' });
  await world.query('DELETE FROM sessions WHERE id = $1', [session.sessionId]);

  const left = await world.query(
    `SELECT (SELECT count(*) FROM lcm_summaries WHERE session_id = $1) + (SELECT count(*) FROM lcm_summary_messages WHERE session_id = $1)
       + (SELECT count(*) FROM lcm_summary_sources WHERE session_id = $1) + (SELECT count(*) FROM lcm_context_items WHERE session_id = $1)
       + (SELECT count(*) FROM messages WHERE session_id = $1) AS rows`,
    [session.sessionId],
  );
  expect(left).toEqual([{ rows: '0' }]);
});

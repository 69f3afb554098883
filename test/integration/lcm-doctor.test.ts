import type { LcmNewSummary, MessageRow } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { retire } from '../../packages/store/src/sweep/retire.ts';
import { applyPlan } from '../support/compacted-sessions.ts';
import { condense, coverRows, lcmOf, lcmPlan, makeLeaf } from '../support/lcm.ts';
import { makePlan, summaryPlan } from '../support/plans.ts';
import {
  assistantRow,
  openStoreWorld,
  personRow,
  type StoreWorld,
  type TestSession,
} from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

interface Graph {
  session: TestSession;
  rows: readonly MessageRow[];
  one: LcmNewSummary;
  two: LcmNewSummary;
  node: LcmNewSummary;
}

/** Lines 1–4 under two leaves under one node, lines 5 and 6 live. */
async function healthyGraph(): Promise<Graph> {
  const session = await world.newSession();
  const rows = await world.append(
    session.lease,
    Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? personRow('hello') : assistantRow('hi'))),
  );
  const { leaf: one } = await coverRows(world, session, rows.slice(0, 2), 'one');
  const { leaf: two } = await coverRows(world, session, rows.slice(2, 4), 'two');
  const { node } = await condense(world, session, [one, two], 'both');
  return { session, rows, one, two, node };
}

/** What the doctor says after one thing was broken by hand. */
async function afterBreaking(graph: Graph, statement: string, values: unknown[]): Promise<unknown[]> {
  await world.query(statement, [graph.session.sessionId, ...values]);
  const problems = await lcmOf(world).doctor(graph.session.sessionId);
  return problems.map(({ check, summaryId, messageId }) => [check, summaryId ?? messageId]);
}

test('a healthy graph has no problems', async () => {
  const { session } = await healthyGraph();

  expect(await lcmOf(world).doctor(session.sessionId)).toEqual([]);
});

test('a message that no summary reaches is named, and the newest one twice', async () => {
  const graph = await healthyGraph();
  const lost = await afterBreaking(
    graph,
    'DELETE FROM lcm_summary_messages WHERE session_id = $1 AND message_id = $2',
    [graph.rows[1]?.id],
  );
  const newest = await afterBreaking(
    graph,
    'UPDATE messages SET active = 0, compacted = 1 WHERE session_id = $1 AND id = $2',
    [graph.rows[5]?.id],
  );

  expect(lost).toEqual([['message_not_covered', graph.rows[1]?.id]]);
  expect(newest).toEqual([
    ['message_not_covered', graph.rows[1]?.id],
    ['message_not_covered', graph.rows[5]?.id],
    ['newest_not_handled', graph.rows[5]?.id],
  ]);
});

test('a message that is live and under a summary at once is named', async () => {
  const graph = await healthyGraph();

  const found = await afterBreaking(
    graph,
    'UPDATE messages SET active = 1, compacted = 0 WHERE session_id = $1 AND id = $2',
    [graph.rows[2]?.id],
  );

  expect(found).toEqual([['message_covered_twice', graph.rows[2]?.id]]);
});

test('an item that stands elsewhere than its first message is named', async () => {
  const graph = await healthyGraph();

  const found = await afterBreaking(
    graph,
    'UPDATE lcm_context_items SET ordinal = ordinal + 1 WHERE session_id = $1 AND active = 1 AND summary_id = $2',
    [graph.node.id],
  );

  expect(found).toEqual([['item_out_of_order', graph.node.id]]);
});

test('edges in the wrong order, times and counts that are not those of the sources are named', async () => {
  const graph = await healthyGraph();

  const found = await afterBreaking(
    graph,
    `WITH swapped AS (UPDATE lcm_summary_sources SET ord = 10 - ord WHERE session_id = $1 AND summary_id = $2)
     UPDATE lcm_summaries SET latest_at = latest_at + interval '1 s', descendant_count = 3 WHERE session_id = $1 AND id = $2`,
    [graph.node.id],
  );

  expect(found).toEqual([
    ['time_range', graph.node.id],
    ['counts', graph.node.id],
    ['edge_order', graph.node.id],
  ]);
});

test('a node that lost its sources, and a leaf with one, are named', async () => {
  const graph = await healthyGraph();

  const found = await afterBreaking(
    graph,
    `UPDATE lcm_summary_sources SET summary_id = source_summary_id, source_summary_id = summary_id
     WHERE session_id = $1 AND source_summary_id = $2`,
    [graph.one.id],
  );

  expect(found).toContainEqual(['leaf_shape', graph.one.id]);
  expect(found).toContainEqual(['counts', graph.node.id]);
});

test('a file id that a node lost from its sources is named', async () => {
  const graph = await healthyGraph();

  const found = await afterBreaking(
    graph,
    `UPDATE lcm_summaries SET file_ids = '{file_0123456789abcdef}' WHERE session_id = $1 AND id = $2`,
    [graph.one.id],
  );

  expect(found).toEqual([['file_ids', graph.node.id]]);
});

test('texts made without a model or cut are weak, deepest first, until a revision stands for them', async () => {
  const { session, one, node } = await healthyGraph();
  await world.query(
    `UPDATE lcm_summaries SET escalation = CASE kind WHEN 'leaf' THEN 'fallback' ELSE 'capped' END
     WHERE session_id = $1 AND id = ANY($2)`,
    [session.sessionId, [one.id, node.id]],
  );
  const before = await lcmOf(world).doctor(session.sessionId);
  const revised = makeLeaf(session.sessionId, [], 'one, better', { messageIds: one.messageIds });
  const change = {
    summaries: [{ ...revised, earliestAt: one.earliestAt, latestAt: one.latestAt }],
    supersede: [{ summaryId: one.id, by: revised.id }],
  };
  await applyPlan(world, session, lcmPlan(change));
  const after = await lcmOf(world).doctor(session.sessionId);

  expect(before).toEqual([
    { check: 'fallback_summary', severity: 'weak', summaryId: one.id, messageId: null },
    { check: 'capped_summary', severity: 'weak', summaryId: node.id, messageId: null },
  ]);
  expect(after.map(({ check }) => check)).toEqual(['capped_summary']);
});

test('A45 a revision keeps the old row, and whoever looks for the sources of a node gets the new text', async () => {
  const { session, one, two, node } = await healthyGraph();
  const revised = {
    ...makeLeaf(session.sessionId, [], 'one, better', { messageIds: one.messageIds }),
    earliestAt: one.earliestAt,
    latestAt: one.latestAt,
  };
  const change = { summaries: [revised], supersede: [{ summaryId: one.id, by: revised.id }] };
  await applyPlan(world, session, lcmPlan(change));

  const lcm = lcmOf(world);
  const scope = { sessionId: session.sessionId };
  expect((await lcm.sourcesOf(scope, node.id))?.map(({ content }) => content)).toEqual([
    'one, better',
    'two',
  ]);
  const [old] = await lcm.summaries(session.sessionId, [one.id]);
  expect(old).toMatchObject({ content: 'one', supersededBy: revised.id });
  expect((await lcm.describe(scope, two.id))?.derivedIds).toEqual([node.id]);
});

test('rows that another engine set aside for a new chapter are no loss, also when its ledger is old', async () => {
  const session = await world.newSession();
  const rows = await world.append(session.lease, [personRow('old'), personRow('new')]);
  await applyPlan(world, session, makePlan({ archive: [rows[0]!.id] }));
  await world.query(
    `UPDATE compactions SET finished_at = now() - interval '400 days' WHERE session_id = $1`,
    [session.sessionId],
  );
  await retire(world.db, { inbox: 7, events: 30, ledger: 90 });

  expect(await lcmOf(world).doctor(session.sessionId)).toEqual([]);
});

test('the ledger row under which a summary finds its messages outlives the retention', async () => {
  const session = await world.newSession();
  const rows = await world.append(session.lease, [personRow('old'), personRow('new')]);
  await applyPlan(world, session, summaryPlan([rows[0]!.id], 'theirs'));
  await world.query(
    `UPDATE compactions SET finished_at = now() - interval '400 days' WHERE session_id = $1`,
    [session.sessionId],
  );
  await retire(world.db, { inbox: 7, events: 30, ledger: 90 });
  const summary = (await world.transcript.liveHeaders(session.sessionId))[0]!;

  const under = await lcmOf(world).rowsUnder(session.sessionId, [summary.id]);

  expect(under.get(summary.id)?.map((row) => row.id)).toEqual([rows[0]!.id]);
});

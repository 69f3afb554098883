import type { MessageRow } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sessionWithGraph } from '../support/engine-sessions.ts';
import { condense, lcmOf } from '../support/lcm.ts';
import { openStoreWorld, personRow, type StoreWorld, type TestSession } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function graph() {
  const { rows, leaves, left, right, ...session } = await sessionWithGraph(world);
  const { node: top } = await condense(world, session, [left, right], 'top');
  return { session, rows, leaves, left, right, top, scope: { sessionId: session.sessionId } };
}

test('A37 a summary is described with its numbers, sources and what was made from it; others get null', async () => {
  const { leaves, left, top, scope } = await graph();
  const other = await world.newSession();
  const lcm = lcmOf(world);

  expect(await lcm.describe(scope, left.id)).toMatchObject({
    kind: 'condensed',
    depth: 1,
    content: 'left',
    descendantCount: 2,
    descendantTokens: 40,
    sourceMessageTokens: 60,
    sourceIds: [leaves[0]?.id, leaves[1]?.id],
    derivedIds: [top.id],
    messageCount: 0,
    isInContext: false,
  });
  expect(await lcm.describe(scope, top.id)).toMatchObject({ descendantCount: 6, isInContext: true });
  expect(await lcm.describe(scope, 'sum_unknown\0')).toBeNull();
  expect(await lcm.describe({ sessionId: other.sessionId }, left.id)).toBeNull();
  expect(await lcm.sourcesOf({ sessionId: other.sessionId }, left.id)).toBeNull();
  expect(await lcm.manifest({ sessionId: other.sessionId }, left.id, 3)).toBeNull();
});

test('sources are older nodes in order; a manifest lists every node below once, by level', async () => {
  const { leaves, left, right, top, scope } = await graph();
  const lcm = lcmOf(world);

  expect((await lcm.sourcesOf(scope, top.id))?.map(({ id }) => id)).toEqual([left.id, right.id]);
  expect(await lcm.sourcesOf(scope, leaves[0]!.id)).toEqual([]);
  const manifest = await lcm.manifest(scope, top.id, 5);
  expect(manifest?.map(({ id, level }) => [id, level])).toEqual([
    ...[left, right]
      .toSorted(
        (one, two) => one.earliestAt.getTime() - two.earliestAt.getTime() || (one.id < two.id ? -1 : 1),
      )
      .map(({ id }) => [id, 1]),
    ...leaves
      .toSorted(
        (one, two) => one.earliestAt.getTime() - two.earliestAt.getTime() || (one.id < two.id ? -1 : 1),
      )
      .map(({ id }) => [id, 2]),
  ]);
  expect(await lcm.manifest(scope, top.id, 1)).toHaveLength(2);
});

test('messages of a leaf come in order, by pages, each cut to what is wanted', async () => {
  const { rows, leaves, scope } = await graph();
  const lcm = lcmOf(world);
  const read = (afterSeq: number, limit: number) =>
    lcm.messagesOf(scope, leaves[0]!.id, { afterSeq, limit, maxCharacters: 4 });

  expect((await read(0, 5))?.map(({ id, text, nextOffset }) => [id, text, nextOffset])).toEqual([
    [rows[0]?.id, 'line', 4],
    [rows[1]?.id, 'line', 4],
  ]);
  expect((await read(rows[0]!.seq, 1))?.map(({ id }) => id)).toEqual([rows[1]?.id]);
});

test('a message is read whole in slices of characters, a withdrawn one and one out of scope not at all', async () => {
  const session = await world.newSession();
  const other = await world.newSession();
  const [row, gone] = await world.append(session.lease, [personRow('a😀b東c'), personRow('gone')]);
  await world.query('UPDATE messages SET active = 0, compacted = 0 WHERE session_id = $1 AND id = $2', [
    session.sessionId,
    gone?.id,
  ]);
  const lcm = lcmOf(world);
  const scope = { sessionId: session.sessionId };

  const read = async (offset: number) => {
    const message = await lcm.message(scope, row!.id, { offset, maxCharacters: 2 });
    return [message?.text, message?.nextOffset, message?.totalCharacters];
  };
  expect([await read(0), await read(2), await read(4)]).toEqual([
    ['a😀', 2, 5],
    ['b東', 4, 5],
    ['c', null, 5],
  ]);
  expect(await lcm.message(scope, gone!.id, { offset: 0, maxCharacters: 9 })).toBeNull();
  expect(
    await lcm.message({ sessionId: other.sessionId }, row!.id, { offset: 0, maxCharacters: 9 }),
  ).toBeNull();
});

test('A4 a message without text of its own is read from its calls and results', async () => {
  const session = await world.newSession();
  const [call] = await world.append(session.lease, [
    {
      role: 'assistant',
      kind: 'assistant',
      tokens: 10,
      parts: [{ type: 'tool_call', id: 'c1', name: 'search', arguments: '{"q":"bats"}' }],
    },
    {
      role: 'tool',
      kind: 'tool',
      tokens: 10,
      parts: [{ type: 'tool_result', callId: 'c1', name: 'search', text: 'three bats', isError: false }],
    },
  ]);

  const message = await lcmOf(world).message({ sessionId: session.sessionId }, call!.id, {
    offset: 0,
    maxCharacters: 99,
  });
  expect(message?.text).toBe('search {"q":"bats"}');
});

/** Statements sent while `work` runs; notices of what was done before may still go out meanwhile and are not its own. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(world.db.$client, 'query');
  await work();
  const own = spy.mock.calls.filter(([statement]) => (statement as { name?: string }).name !== 'notify');
  spy.mockRestore();
  return own.length;
}

test('A5 items, telemetry, debt, breakers and spend are one statement, and so are all texts', async () => {
  const { session, leaves, top } = await graph();
  const lcm = lcmOf(world);

  expect(await statementsOf(() => lcm.load(session.sessionId))).toBe(1);
  const ids = [top, ...leaves].map(({ id }) => id);
  expect(await statementsOf(() => lcm.summaries(session.sessionId, ids))).toBe(1);
});

test('telemetry is kept per provider and model and comes back as it was', async () => {
  const session = await world.newSession();
  const lcm = lcmOf(world);
  const telemetry = {
    provider: 'anthropic',
    model: 'one',
    cacheState: 'hot' as const,
    lastReadAt: new Date('2026-03-01T10:00:00.123Z'),
    lastWriteAt: null,
    lastBreakAt: null,
    coldObservations: 2,
    turnsSinceLeaf: 3,
    tokensSinceLeaf: 4_000,
  };
  await lcm.write(session.lease, { telemetry });
  await lcm.write(session.lease, { telemetry: { ...telemetry, model: 'two', cacheState: 'cold' } });
  await lcm.write(session.lease, { telemetry: { ...telemetry, coldObservations: 0 } });

  const state = await lcm.load(session.sessionId);
  expect(state.telemetry).toEqual([
    { ...telemetry, coldObservations: 0 },
    { ...telemetry, model: 'two', cacheState: 'cold' },
  ]);
  expect(Math.abs(state.now.getTime() - Date.now())).toBeLessThan(60_000);
});

test('status counts live and covered messages, nodes by depth and tokens', async () => {
  const { session } = await graph();

  expect(await lcmOf(world).status(session.sessionId)).toMatchObject({
    liveMessages: 1,
    liveMessageTokens: 10,
    coveredMessages: 8,
    items: 1,
    itemTokens: 25,
    summariesByDepth: [4, 2, 1],
    summaryTokens: 155,
    maxDepth: 2,
    files: 0,
    boundarySeq: 0,
    debt: null,
  });
  const { recent } = await lcmOf(world).status(session.sessionId);
  expect(recent.map(({ nodes }) => nodes)).toEqual(Array(7).fill(1));
});

test('an export holds every node with its edges, and the context', async () => {
  const { session, rows, leaves, top } = await graph();

  const exported = await lcmOf(world).exportGraph(session.sessionId);

  expect(exported.summaries.map(({ depth }) => depth)).toEqual([0, 0, 0, 0, 1, 1, 2]);
  expect(exported.summaries.find(({ id }) => id === leaves[0]?.id)?.messageIds).toEqual(
    rows.slice(0, 2).map((row: MessageRow) => row.id),
  );
  expect(exported.items).toEqual([{ summaryId: top.id, ordinal: rows[0]?.seq }]);
});

test('a session without any graph loads an empty state', async () => {
  const session: TestSession = await world.newSession();

  expect(await lcmOf(world).load(session.sessionId)).toMatchObject({
    items: [],
    boundarySeq: 0,
    telemetry: [],
    debt: null,
    spend: null,
  });
});

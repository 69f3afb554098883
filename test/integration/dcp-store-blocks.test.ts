import { blockActivity } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan, idsOf, sessionWith, type FilledSession } from '../support/compacted-sessions.ts';
import { aBlock, callRows, dcpOf } from '../support/stored-dcp.ts';
import { makePlan, openCompaction, someFigures } from '../support/plans.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';
import { rowsAsStored, undoOf } from '../support/undo.ts';

let world: StoreWorld;
let dcp: ReturnType<typeof dcpOf>;
beforeAll(async () => {
  world = await openStoreWorld();
  dcp = dcpOf(world);
});
afterAll(() => world[Symbol.asyncDispose]());

interface Blocked extends FilledSession {
  /** Ids of a round whose call made b2. */
  round: number[];
}

/** b1 over the first two rows, taken in by b2 over the third, which a call of a stored turn made; b3 over the fourth. */
async function sessionWithBlocks(): Promise<Blocked> {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four', 'five', 'six']);
  const rows = await world.append(session.lease, callRows('call-1', 'compress'));
  const origin = { turnId: rows[0]!.turnId!, callId: 'call-1', argumentsHash: 'abc' };
  const [one, two, three, four] = session.ids;
  await dcp.write(session.lease, {
    baseVersion: 0,
    blocks: [
      aBlock({ number: 1, unitIds: [one!, two!], rawTokens: 900, summaryTokens: 100 }),
      aBlock({
        number: 2,
        unitIds: [three!],
        consumed: [1],
        refBlocks: [1],
        origin,
        rawTokens: 500,
        summaryTokens: 50,
      }),
      aBlock({ number: 3, unitIds: [four!], rawTokens: 300, summaryTokens: 40 }),
    ],
    marks: [{ unitId: session.ids[4]!, callId: 'call-9', reason: 'sweep', run: 4, tokens: 70 }],
  });
  return { ...session, round: idsOf(rows) };
}

async function activities(sessionId: string): Promise<unknown[]> {
  return (await dcp.store.blocks(sessionId)).map(({ number, activity }) => `b${number} ${activity}`);
}

test('operators see what each block covers, what took it in, and savings net of all texts that are shown', async () => {
  const session = await sessionWithBlocks();

  expect(await dcp.store.blocks(session.sessionId)).toMatchObject([
    { number: 1, activity: 'consumed', consumedBy: 2, unitIds: session.ids.slice(0, 2), compactionId: null },
    { number: 2, activity: 'active', consumedBy: null, consumed: [1] },
    { number: 3, activity: 'active', consumedBy: null },
  ]);
  expect(await dcp.store.savings(session.sessionId)).toEqual({
    activeBlocks: 2,
    allBlocks: 3,
    removedTokens: 1_700,
    summaryTokens: 190,
    netTokens: 1_510,
    markTokens: 70,
  });
});

test('a block whose call was taken back is off, and what it had taken in is shown again', async () => {
  const session = await sessionWithBlocks();

  await world.query('UPDATE messages SET active = 0 WHERE session_id = $1 AND id = ANY($2)', [
    session.sessionId,
    session.round,
  ]);

  expect(await activities(session.sessionId)).toEqual(['b1 active', 'b2 orphaned', 'b3 active']);
});

test('a deleted message taints its block and those around it for good, others stay, and the version rises', async () => {
  const session = await sessionWithBlocks();

  const tainted = await dcp.taint(session.lease, { rowIds: [session.ids[1]!], erase: false });

  expect(tainted).toEqual({ blocks: [1, 2], origins: [{ turnId: expect.any(String), callId: 'call-1' }] });
  const state = await dcp.store.load(session.sessionId);
  expect(state.blocks.map((block) => block.status)).toEqual(['tainted', 'tainted', 'on']);
  expect(state.version).toBe(2);
  expect(state.blocks[0]?.body).toBe('Ports were chosen: 8080.');
  expect(await dcp.store.events(session.sessionId, { limit: 1 })).toMatchObject([
    { kind: 'taint', detail: { blocks: ['b1', 'b2'], erase: false } },
  ]);
});

test('a tainted block gives back the sound one that it had taken in', async () => {
  const session = await sessionWithBlocks();

  await dcp.taint(session.lease, { rowIds: [session.ids[2]!], erase: false });

  expect(await activities(session.sessionId)).toEqual(['b1 active', 'b2 tainted', 'b3 active']);
});

test('a request of privacy also erases the summaries, their topics and a waiting wish', async () => {
  const session = await sessionWithBlocks();
  await dcp.write(session.lease, { baseVersion: 1, grant: { focus: 'my address', isShown: false } });

  await dcp.taint(session.lease, { rowIds: [session.ids[0]!], erase: true });

  const { blocks, grant } = await dcp.store.load(session.sessionId);
  expect(grant).toBeNull();
  expect(blocks.map(({ body, topic }) => [body, topic])).toEqual([
    ['', ''],
    ['', ''],
    ['Ports were chosen: 8080.', 'choice of ports'],
  ]);
});

test('a tool result taints the block over the step that it belongs to', async () => {
  const session = await sessionWithBlocks();
  await dcp.write(session.lease, {
    baseVersion: 1,
    blocks: [aBlock({ number: 4, unitIds: [session.round[0]!] })],
  });

  const tainted = await dcp.taint(session.lease, { rowIds: [session.round[1]!], erase: false });

  expect(tainted.blocks).toEqual([4]);
});

test('rows under no block, and sessions of other engines, change nothing', async () => {
  const session = await sessionWithBlocks();
  const other = await sessionWith(world, ['one']);

  expect(await dcp.taint(session.lease, { rowIds: [session.ids[5]!], erase: true })).toEqual({
    blocks: [],
    origins: [],
  });
  expect(await dcp.taint(other.lease, { rowIds: other.ids, erase: true })).toEqual({
    blocks: [],
    origins: [],
  });
  expect((await dcp.store.load(session.sessionId)).version).toBe(1);
});

test('undoing the compaction of a compress call turns its blocks off, takes its marks back and gives the newer ones no harm', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const before = await rowsAsStored(world, session.sessionId);
  const compactionId = await applyPlan(world, session, makePlan({ archive: [], write: [] }));
  const marks = [
    { unitId: session.ids[3]!, callId: 'call-1', reason: 'duplicate' as const, run: 1, tokens: 20 },
  ];
  await dcp.write(session.lease, { baseVersion: 0, manualMode: false });
  await dcp.write(
    session.lease,
    { baseVersion: 0, blocks: [aBlock({ number: 1, unitIds: session.ids.slice(0, 2) })], marks },
    compactionId,
  );

  const ground = await world.compactions.undoGround(session.sessionId);
  await undoOf(world, session, { compactionId });

  expect(ground).toMatchObject({
    restoredRows: 2,
    restoredTokens: 1_000,
    withdrawnRows: 0,
    withdrawnTokens: 100,
  });
  const state = await dcp.store.load(session.sessionId);
  expect(state).toMatchObject({ version: 2, marks: [], blocks: [{ number: 1, status: 'user_off' }] });
  expect(await rowsAsStored(world, session.sessionId)).toEqual(before);
  expect(await dcp.store.events(session.sessionId, { limit: 1 })).toMatchObject([
    { kind: 'decompress', detail: { blocks: ['b1'], compactionId } },
  ]);
});

/** Close a compaction of this engine that archives nothing, with what it changes. */
async function compactWith(
  { sessionId, lease }: FilledSession,
  change: Parameters<ReturnType<typeof dcpOf>['write']>[1],
): Promise<number> {
  const id = await openCompaction(world.compactions, sessionId, 'dcp');
  const figures = { ...someFigures, rowsArchived: 0 };
  await world.compactions.apply(lease, id, makePlan({ figures, state: { engine: 'dcp', json: change } }), []);
  return id;
}

test('what is taken back next is the newest compaction whose blocks are still shown; marks alone are none', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const rows = await world.append(session.lease, callRows('call-1', 'compress'));
  const [one, two, three, four] = session.ids as [number, number, number, number];
  const origin = { turnId: rows[0]!.turnId!, callId: 'call-1', argumentsHash: 'abc' };
  const first = await compactWith(session, {
    baseVersion: 0,
    blocks: [aBlock({ number: 1, unitIds: [one] })],
  });
  const second = await compactWith(session, {
    baseVersion: 1,
    blocks: [aBlock({ number: 2, unitIds: [two, three], origin })],
  });
  const third = await compactWith(session, {
    baseVersion: 2,
    blocks: [aBlock({ number: 3, unitIds: [four] })],
  });
  await compactWith(session, {
    baseVersion: 3,
    marks: [{ unitId: four, callId: 'call-9', reason: 'oversized', run: 4, tokens: 20 }],
  });
  const next = async () => (await world.compactions.undoGround(session.sessionId))?.compactionId;

  const behindMarks = await next();
  await dcp.write(session.lease, { baseVersion: 4, statuses: [{ block: 3, status: 'user_off' }] });
  const behindDecompressed = await next();
  await world.query(`UPDATE messages SET active = 0 WHERE id = ANY($1)`, [idsOf(rows)]);
  const behindOrphaned = await next();

  expect([behindMarks, behindDecompressed, behindOrphaned]).toEqual([third, second, first]);
});

test('blocks go with their ledger row, and loading needs no row of the transcript', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const compactionId = await openCompaction(world.compactions, session.sessionId);
  await dcp.write(
    session.lease,
    { baseVersion: 0, blocks: [aBlock({ number: 1, unitIds: [session.ids[0]!] })] },
    compactionId,
  );

  expect(await dcp.store.blocks(session.sessionId)).toMatchObject([{ number: 1, compactionId }]);
  const state = await dcp.store.load(session.sessionId);
  const rows = await world.transcript.liveHeaders(session.sessionId);
  expect([...blockActivity(state, { rows, isWhole: true })]).toEqual([[1, 'active']]);
});

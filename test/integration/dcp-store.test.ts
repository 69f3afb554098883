import { emptyDcpState, type DcpChange, type DcpState } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyChange } from '../../packages/engines/src/dcp/state/apply-change.ts';
import { retire } from '../../packages/store/src/sweep/retire.ts';
import { countersOf, sessionWith } from '../support/compacted-sessions.ts';
import { aBlock, dcpOf } from '../support/stored-dcp.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
let dcp: ReturnType<typeof dcpOf>;
beforeAll(async () => {
  world = await openStoreWorld();
  dcp = dcpOf(world);
});
afterAll(() => world[Symbol.asyncDispose]());

const texts = ['one', 'two', 'three', 'four', 'five', 'six'];

/** Changes of every kind, each made on the state that the ones before left. */
function everyChange(ids: readonly number[]): DcpChange[] {
  return [
    { baseVersion: 0, refs: ids.slice(0, 4).map((unitId, index) => ({ unitId, number: index + 1 })) },
    {
      baseVersion: 0,
      blocks: [
        aBlock({
          number: 1,
          unitIds: ids.slice(0, 2),
          origin: { turnId: 'turn-x', callId: 'call-1', argumentsHash: 'abc' },
          batchTopic: 'the batch',
          mode: 'message',
        }),
        aBlock({ number: 2, run: 1, unitIds: ids.slice(2, 3), body: 'emoji 🙂 and \\ "quotes"\n' }),
      ],
      marks: [
        { unitId: ids[3]!, callId: 'call-7', reason: 'duplicate', run: 1, tokens: 120 },
        { unitId: ids[3]!, callId: 'call-8', reason: 'error_input', run: 1, tokens: 30 },
      ],
      counts: { compressCalls: 1 },
      grant: null,
      events: [{ kind: 'compress', detail: { blocks: ['b1', 'b2'] } }],
    },
    {
      baseVersion: 1,
      nudge: {
        level: 'strong',
        lastKind: 'context_limit',
        callsSinceNudge: 2,
        restCalls: 3,
        failedAttempts: 1,
      },
      counts: { nudges: 1, compressFailures: 2 },
      grant: { focus: 'the tests', isShown: false },
      events: [{ kind: 'nudge', detail: { kind: 'context_limit', level: 'strong' } }],
    },
    {
      baseVersion: 1,
      blocks: [aBlock({ number: 3, run: 2, unitIds: ids.slice(3, 4), consumed: [1, 2], refBlocks: [2] })],
      marks: [{ unitId: ids[3]!, callId: 'call-7', reason: 'sweep', run: 2, tokens: 999 }],
      hygiene: { triedVersion: 2 },
    },
    { baseVersion: 2, statuses: [{ block: 3, status: 'user_off' }], manualMode: true },
    { baseVersion: 3, refs: [{ unitId: ids[4]!, number: 5 }], grant: { focus: null, isShown: true } },
  ];
}

async function applyAll(
  session: Awaited<ReturnType<typeof sessionWith>>,
  changes: DcpChange[],
): Promise<DcpState> {
  let memory = emptyDcpState();
  for (const change of changes) {
    await dcp.write(session.lease, change);
    memory = applyChange(memory, change);
    expect(await dcp.store.load(session.sessionId)).toEqual(memory);
  }
  return memory;
}

test('a session without state has the empty one', async () => {
  const session = await world.newSession();

  expect(await dcp.store.load(session.sessionId)).toEqual(emptyDcpState());
  expect(await dcp.store.blocks(session.sessionId)).toEqual([]);
});

test('after every change the stored state is the one in memory, member by member', async () => {
  const session = await sessionWith(world, texts);

  const state = await applyAll(session, everyChange(session.ids));

  expect(state).toMatchObject({ version: 3, nextRef: 6, nextBlock: 4, nextRun: 3, manualMode: true });
  expect(state.marks.map((mark) => mark.reason)).toEqual(['duplicate', 'error_input']);
  expect(state.counters).toMatchObject({ compressCalls: 1, compressFailures: 2, nudges: 1 });
});

test('a reset takes refs, marks and blocks away, numbers go on, and operators still see the old blocks', async () => {
  const session = await sessionWith(world, texts);
  await applyAll(session, [
    ...everyChange(session.ids),
    { baseVersion: 3, reset: true, events: [{ kind: 'reset', detail: {} }] },
    { baseVersion: 4, refs: [{ unitId: session.ids[5]!, number: 6 }] },
    { baseVersion: 4, blocks: [aBlock({ number: 4, run: 3, unitIds: [session.ids[5]!] })] },
  ]);

  const views = await dcp.store.blocks(session.sessionId);
  expect(views.map(({ number, activity }) => [number, activity])).toEqual([
    [1, 'reset'],
    [2, 'reset'],
    [3, 'reset'],
    [4, 'active'],
  ]);
  expect((await dcp.store.load(session.sessionId)).generation).toBe(1);
});

test('D1 sessions are numbered apart: each begins with m0001 and b1', async () => {
  const first = await sessionWith(world, texts);
  await applyAll(first, everyChange(first.ids));
  const second = await sessionWith(world, texts);

  await dcp.write(second.lease, { baseVersion: 0, refs: [{ unitId: second.ids[0]!, number: 1 }] });
  await dcp.write(second.lease, {
    baseVersion: 0,
    blocks: [aBlock({ number: 1, unitIds: [second.ids[0]!] })],
  });

  const state = await dcp.store.load(second.sessionId);
  expect([...state.refs]).toEqual([[second.ids[0], 1]]);
  expect(state.blocks.map((block) => block.number)).toEqual([1]);
});

test('D23 a writer that stands on an older version is refused and nothing of its change is written', async () => {
  const session = await sessionWith(world, texts);
  await applyAll(session, [...everyChange(session.ids), { baseVersion: 3, reset: true }]);
  const before = await dcp.store.load(session.sessionId);

  const stale = dcp.write(session.lease, {
    baseVersion: 2,
    statuses: [{ block: 1, status: 'on' }],
    nudge: { ...before.nudge, level: 'none' },
    events: [{ kind: 'recompress', detail: {} }],
  });

  await expect(stale).rejects.toMatchObject({
    code: 'plan_outdated',
    message: `a change of the dcp state of session ${session.sessionId} was made on version 2, there is version 4, next ref 6; load it and decide again`,
  });
  expect(await dcp.store.load(session.sessionId)).toEqual(before);
  expect(before.generation).toBe(1);
});

test('refs that were given meanwhile refuse the writer too, and so does a version for a session without state', async () => {
  const session = await sessionWith(world, texts);
  const refs = [{ unitId: session.ids[0]!, number: 1 }];

  await expect(dcp.write(session.lease, { baseVersion: 1, manualMode: true })).rejects.toMatchObject({
    code: 'plan_outdated',
  });
  await dcp.write(session.lease, { baseVersion: 0, refs });
  await expect(dcp.write(session.lease, { baseVersion: 0, refs })).rejects.toMatchObject({
    code: 'plan_outdated',
  });
});

test('D23 a state that a newer program wrote is neither read nor overwritten', async () => {
  const session = await sessionWith(world, texts);
  await dcp.write(session.lease, { baseVersion: 0, manualMode: true });
  await world.query('UPDATE dcp_session SET format = 2 WHERE session_id = $1', [session.sessionId]);

  await expect(dcp.store.load(session.sessionId)).rejects.toMatchObject({ code: 'schema_too_new' });
  await expect(dcp.write(session.lease, { baseVersion: 0, manualMode: false })).rejects.toMatchObject({
    code: 'schema_too_new',
  });
  expect(
    await world.query('SELECT manual_mode FROM dcp_session WHERE session_id = $1', [session.sessionId]),
  ).toEqual([{ manual_mode: true }]);
});

test('the version and the session revision rise with blocks, marks and resets, not with refs and nudges', async () => {
  const session = await sessionWith(world, texts);
  const revision = async (): Promise<unknown> => (await countersOf(world, session.sessionId))['revision'];
  const start = Number(await revision());
  const [refs, blocks, nudge] = everyChange(session.ids);

  await dcp.write(session.lease, refs!);
  expect(await revision()).toBe(start);
  await dcp.write(session.lease, blocks!);
  expect(await revision()).toBe(start + 1);
  await dcp.write(session.lease, nudge!);
  expect(await revision()).toBe(start + 1);
});

test('events come newest first, page by page and by kind', async () => {
  const session = await sessionWith(world, texts);
  await applyAll(session, everyChange(session.ids));
  const all = await dcp.store.events(session.sessionId, { limit: 10 });

  expect(all.map((event) => event.kind)).toEqual(['nudge', 'compress']);
  expect(all[0]).toMatchObject({ detail: { kind: 'context_limit', level: 'strong' } });
  expect(await dcp.store.events(session.sessionId, { limit: 10, beforeId: all[0]!.id })).toEqual([all[1]]);
  expect(await dcp.store.events(session.sessionId, { limit: 10, kinds: ['nudge'] })).toEqual([all[0]]);
});

test('lines for operators go when events do', async () => {
  const session = await sessionWith(world, texts);
  await applyAll(session, everyChange(session.ids));
  await world.query(
    `UPDATE dcp_event SET created_at = now() - interval '31 days' WHERE session_id = $1 AND kind = 'compress'`,
    [session.sessionId],
  );

  await retire(world.db, { inbox: 7, events: 30, ledger: 90 });

  const left = await dcp.store.events(session.sessionId, { limit: 10 });
  expect(left.map((event) => event.kind)).toEqual(['nudge']);
});

test('text that Postgres cannot hold is cleaned on the way', async () => {
  const session = await sessionWith(world, texts);

  await dcp.write(session.lease, {
    baseVersion: 0,
    blocks: [aBlock({ number: 1, unitIds: [session.ids[0]!], body: 'a\0b \ud800', topic: 'x\0' })],
  });

  const [block] = (await dcp.store.load(session.sessionId)).blocks;
  expect([block?.body, block?.topic]).toEqual(['ab \ufffd', 'x']);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan, countersOf, sessionWith } from '../support/compacted-sessions.ts';
import { usageOf, noPlan, openCompaction, summaryPlan } from '../support/plans.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test('an attempt without a change closes its ledger row and leaves its rest on the session', async () => {
  const session = await sessionWith(world, ['one']);
  const id = await openCompaction(world.compactions, session.sessionId);
  const failed = noPlan({
    outcome: 'failed',
    reason: 'summary_auth',
    cooldownMs: 60_000,
    message: 'refused (401)',
  });
  await world.compactions.closeWithout(id, failed, session.lease);

  const [row] = await world.compactions.ledger({ sessionId: session.sessionId, limit: 5 });

  expect(row).toMatchObject({
    id,
    outcome: 'failed',
    reason: 'summary_auth',
    message: 'refused (401)',
    figures: null,
    summaryText: null,
  });
  expect(await countersOf(world, session.sessionId)).toMatchObject({
    failure_streak: 1,
    cooldown_reason: 'summary_auth',
    rests: true,
  });
});

test('an attempt without a lease leaves its rest on the session too', async () => {
  const session = await sessionWith(world, ['one']);
  const id = await openCompaction(world.compactions, session.sessionId);
  await world.compactions.closeWithout(
    id,
    noPlan({ outcome: 'failed', reason: 'summary_auth', cooldownMs: 60_000 }),
    null,
  );

  expect(await world.compactions.ledger({ limit: 1 })).toMatchObject([{ id, outcome: 'failed' }]);
  expect(await countersOf(world, session.sessionId)).toMatchObject({
    failure_streak: 1,
    cooldown_reason: 'summary_auth',
  });
});

test('the next real prompt below the trigger confirms a compaction, once', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'a summary'));
  await world.compactions.confirm(session.sessionId, usageOf(3_210));
  await world.compactions.confirm(session.sessionId, usageOf(9_999));

  const [row] = await world.compactions.ledger({ sessionId: session.sessionId, limit: 1 });

  expect(row).toMatchObject({
    outcome: 'success',
    tokensAfterConfirmed: 3_210,
    cacheShareAfter: 0.1,
    summaryText: 'a summary',
  });
});

test('the ledger keeps what a compaction put aside and stood in for, also after it was taken back', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'first summary'));
  const [first] = await world.compactions.ledger({ sessionId: session.sessionId, limit: 1 });
  const firstSummary = first?.writtenRows[0] ?? 0;
  await applyPlan(world, session, summaryPlan([firstSummary, session.ids[2] ?? 0], 'second summary'));
  await world.query(
    `UPDATE messages SET active = 1, compacted = 0, archived_by = NULL WHERE session_id = $1`,
    [session.sessionId],
  );

  const rows = await world.compactions.ledger({ sessionId: session.sessionId, limit: 2 });

  expect(rows.map(({ archivedSeqs, previousSummaryId }) => ({ archivedSeqs, previousSummaryId }))).toEqual([
    { archivedSeqs: { first: 3_071, last: 3_072 }, previousSummaryId: firstSummary },
    { archivedSeqs: { first: 1_024, last: 2_048 }, previousSummaryId: null },
  ]);
  expect(firstSummary).toBeGreaterThan(0);
});

test('messages that came while an attempt ran are counted in its row, earlier ones and those of operators are not', async () => {
  const session = await sessionWith(world, ['one', 'two']);
  const waiting = (kind: string, since: string) =>
    world.query(
      `INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content, accepted_at)
       SELECT id, 100 + (SELECT count(*) FROM mailbox WHERE session_id = $1), chat_row_id, '${kind}', '{}'::jsonb,
         clock_timestamp() - interval '${since}' FROM sessions WHERE id = $1`,
      [session.sessionId],
    );
  await waiting('message', '1 hour');
  const id = await openCompaction(world.compactions, session.sessionId);
  await waiting('message', '0 s');
  await waiting('message', '0 s');
  await waiting('operator', '0 s');

  const [running] = await world.compactions.ledger({ sessionId: session.sessionId, limit: 1 });
  await world.compactions.closeWithout(id, noPlan({}), null);
  const [ended] = await world.compactions.ledger({ sessionId: session.sessionId, limit: 1 });

  expect([running?.messagesDeferred, ended?.messagesDeferred]).toEqual([null, 2]);
});

test('a compaction whose next model call never came has no confirmed size, which is not a size of 0', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'a summary'));

  const [row] = await world.compactions.ledger({ sessionId: session.sessionId, limit: 1 });

  expect(row).toMatchObject({ outcome: 'success', tokensAfterConfirmed: null });
});

test('a real prompt still at the trigger makes the compaction ineffective, and the next good one ends the streak', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  await applyPlan(world, session, summaryPlan([session.ids[0] ?? 0], 'first'));
  await world.compactions.confirm(session.sessionId, usageOf(8_000));
  const struck = await countersOf(world, session.sessionId);
  await applyPlan(world, session, summaryPlan([session.ids[1] ?? 0], 'second'));
  await world.compactions.confirm(session.sessionId, usageOf(7_999));

  const rows = await world.compactions.ledger({ sessionId: session.sessionId, limit: 5 });

  expect(struck).toMatchObject({ ineffective_streak: 1 });
  expect(rows.map((row) => row.outcome)).toEqual(['success', 'ineffective']);
  expect(await countersOf(world, session.sessionId)).toMatchObject({ ineffective_streak: 0 });
});

test('a plan made ahead comes back as it was, dates included', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const sentAt = new Date('2026-03-04T05:06:07.890Z');
  const plan = summaryPlan(session.ids.slice(0, 2), 'ahead');
  const dated = { ...plan, write: plan.write.map((row) => ({ ...row, sentAt })) };
  await world.compactions.savePrepared(session.sessionId, {
    plan: dated,
    engine: 'compressor',
    configHash: 'h1',
    ttlMs: 60_000,
  });

  const found = await world.compactions.findPrepared(session.sessionId, 'compressor', 'h1');

  expect(found.dropped).toEqual([]);
  expect(found.plan).toMatchObject({ plan: dated, engine: 'compressor', configHash: 'h1' });
});

test('a plan made ahead is dropped when one of its rows changed, and says so', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const plan = summaryPlan(session.ids.slice(0, 2), 'ahead');
  await world.compactions.savePrepared(session.sessionId, {
    plan,
    engine: 'compressor',
    configHash: 'h1',
    ttlMs: 60_000,
  });
  await applyPlan(world, session, summaryPlan([session.ids[0] ?? 0], 'other'));

  expect(await world.compactions.findPrepared(session.sessionId, 'compressor', 'h1')).toEqual({
    plan: null,
    dropped: ['rows_changed'],
  });
  expect(
    await world.query('SELECT 1 FROM prepared_compactions WHERE session_id = $1', [session.sessionId]),
  ).toEqual([]);
});

test.each([
  ['another engine', 'config_changed', { engine: 'lcm', configHash: 'h1', ttlMs: 60_000 }],
  ['another config', 'config_changed', { engine: 'compressor', configHash: 'h2', ttlMs: 60_000 }],
  ['expiry', 'expired', { engine: 'compressor', configHash: 'h1', ttlMs: 0 }],
])('a plan made ahead is dropped by %s', async (_by, why, { engine, configHash, ttlMs }) => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const plan = summaryPlan(session.ids.slice(0, 2), 'ahead');
  await world.compactions.savePrepared(session.sessionId, {
    plan,
    engine: 'compressor',
    configHash: 'h1',
    ttlMs,
  });

  expect(await world.compactions.findPrepared(session.sessionId, engine, configHash)).toEqual({
    plan: null,
    dropped: [why],
  });
});

test('one preparation of a session is under way at a time, until it ends or its time is up', async () => {
  const { sessionId } = await sessionWith(world, ['one']);
  const { compactions } = world;
  const marks = [
    await compactions.markPreparing(sessionId, 60_000),
    await compactions.markPreparing(sessionId, 60_000),
  ];
  const underWay = await compactions.preparationUnderWay(sessionId);
  await compactions.endPreparing(sessionId);
  const ended = [
    await compactions.preparationUnderWay(sessionId),
    await compactions.markPreparing(sessionId, 0),
  ];
  const timedOut = await compactions.markPreparing(sessionId, 60_000);

  expect({ marks, underWay, ended, timedOut }).toEqual({
    marks: [true, false],
    underWay: true,
    ended: [false, true],
    timedOut: true,
  });
});

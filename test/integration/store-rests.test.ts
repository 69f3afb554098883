/** What failed and useless compactions leave on the session row: it outlives every process. */
import type { NoPlan } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan, sessionWith, type FilledSession } from '../support/compacted-sessions.ts';
import { usageOf, makePlan, noPlan, openCompaction, someFigures, summaryPlan } from '../support/plans.ts';
import { claim } from '../../packages/store/src/turns/claim.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Seconds that are left of each rest, rounded; null where none is stored. */
async function restsOf({ sessionId }: FilledSession) {
  const left = (column: string) => `round(extract(epoch FROM ${column} - now()) / 5)::int * 5 AS ${column}`;
  const [row] = await world.query(
    `SELECT ${['cooldown_until', 'structural_until', 'hold_rest_until', 'probe_at'].map(left).join(', ')},
       cooldown_reason, hold_rest_reason, failure_streak, fallback_streak, ineffective_streak, timeout_streak,
       truncation_streak, hold_failure_streak, auxiliary_failed, trouble_told FROM sessions WHERE id = $1`,
    [sessionId],
  );
  return row!;
}

async function end(session: FilledSession, result: Partial<NoPlan>): Promise<void> {
  const id = await openCompaction(world.compactions, session.sessionId);
  await world.compactions.closeWithout(id, noPlan(result), session.lease);
}

/** As if all that time had passed. */
async function forgetTimes({ sessionId }: FilledSession): Promise<void> {
  await world.query(
    `UPDATE sessions SET cooldown_until = NULL, structural_until = NULL, hold_rest_until = NULL, probe_at = NULL
     WHERE id = $1`,
    [sessionId],
  );
}

async function told({ sessionId }: FilledSession): Promise<void> {
  await world.query(`UPDATE sessions SET trouble_told = 'failed' WHERE id = $1`, [sessionId]);
}

const failed = (reason: NoPlan['reason'], cooldownMs = 60_000): Partial<NoPlan> => ({
  outcome: 'failed',
  reason,
  cooldownMs,
});

test('F6 time-outs and cut-off answers rest 60, 300, 900 seconds, each kind on its own ladder', async () => {
  const session = await sessionWith(world, ['one']);
  const kinds = ['summary_timeout', 'summary_too_long', 'summary_rate_limited', 'summary_timeout'] as const;
  const rested = [];
  for (const reason of [...kinds, 'summary_timeout', 'summary_too_long'] as const) {
    await end(session, failed(reason));
    rested.push((await restsOf(session))['cooldown_until']);
    await forgetTimes(session);
  }

  expect(rested).toEqual([60, 60, 300, 900, 900, 300]);
  expect(await restsOf(session)).toMatchObject({
    timeout_streak: 4,
    truncation_streak: 2,
    failure_streak: 6,
  });
});

test('the other classes rest the same every time', async () => {
  const session = await sessionWith(world, ['one']);
  const rested = [];
  for (const cooldownMs of [60_000, 30_000, 30_000]) {
    await end(session, failed('summary_provider_5xx', cooldownMs));
    rested.push((await restsOf(session))['cooldown_until']);
    await forgetTimes(session);
  }

  expect(rested).toEqual([60, 30, 30]);
});

test('a shorter rest never cuts a longer one', async () => {
  const session = await sessionWith(world, ['one']);
  await end(session, failed('summary_provider_5xx', 600_000));
  await end(session, failed('summary_empty', 30_000));

  expect(await restsOf(session)).toMatchObject({ cooldown_until: 600, failure_streak: 2 });
});

test('F10 rests and strikes are there when the session is claimed again', async () => {
  const session = await sessionWith(world, ['one']);
  await end(session, failed('summary_timeout'));
  await end(session, { outcome: 'ineffective', reason: 'none' });
  await world.expire(session.sessionId);

  const claimed = await claim(world.db, {
    sessionId: session.sessionId,
    owner: 'worker-2',
    leaseMs: 60_000,
  });

  expect(claimed).toMatchObject({
    kind: 'claimed',
    session: {
      cooldownUntil: expect.any(Date),
      cooldownReason: 'summary_timeout',
      failureStreak: 1,
      ineffectiveStreak: 1,
    },
  });
});

test('nothing to take out rests the compressor alone and is never a strike', async () => {
  const session = await sessionWith(world, ['one']);
  await end(session, { outcome: 'noop', reason: 'protected_only', cooldownMs: 300_000 });

  expect(await restsOf(session)).toMatchObject({
    structural_until: 300,
    cooldown_until: null,
    hold_rest_until: null,
    failure_streak: 0,
    ineffective_streak: 0,
  });
});

test('two useless results in a row store when one probe is due; a third moves it', async () => {
  const session = await sessionWith(world, ['one']);
  const useless = { outcome: 'ineffective', reason: 'none' } as const;
  await end(session, useless);
  const once = await restsOf(session);
  await end(session, useless);
  const twice = await restsOf(session);
  await world.query(`UPDATE sessions SET probe_at = now() - interval '1 s' WHERE id = $1`, [
    session.sessionId,
  ]);
  await end(session, useless);

  expect([once['probe_at'], twice['probe_at'], (await restsOf(session))['probe_at']]).toEqual([
    null,
    300,
    300,
  ]);
});

test('F9 a real prompt at the trigger is a strike, the second stores a probe, one below ends both', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const strikes = [];
  for (const [index, tokens] of [8_000, 8_000, 7_999].entries()) {
    await applyPlan(world, session, summaryPlan([session.ids[index] ?? 0], 'a summary'));
    strikes.push(await world.compactions.confirm(session.sessionId, usageOf(tokens)));
    strikes.push((await restsOf(session))['probe_at']);
  }

  expect(strikes).toEqual([1, null, 2, 300, 0, 300]);
  expect(await world.compactions.confirm(session.sessionId, usageOf(9_000))).toBeNull();
});

test('clearing old tool output is no strike when the next prompt is still at the trigger', async () => {
  const session = await sessionWith(world, ['one', 'two']);
  await applyPlan(world, session, makePlan({ outcome: 'fallback_trim', archive: [session.ids[0] ?? 0] }));

  const strikes = await world.compactions.confirm(session.sessionId, usageOf(9_000));

  expect(strikes).toBe(0);
  const [row] = await world.compactions.ledger({ sessionId: session.sessionId, limit: 1 });
  expect(row).toMatchObject({ outcome: 'fallback_trim', tokensAfterConfirmed: 9_000 });
});

test('two local summaries for a failed model in a row store a probe too; one of the model ends everything', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const local = { outcome: 'deterministic', reason: 'summary_timeout', cooldownMs: 60_000 } as const;
  await applyPlan(world, session, summaryPlan([session.ids[0] ?? 0], 'local', local));
  await applyPlan(world, session, summaryPlan([session.ids[1] ?? 0], 'local', local));
  const troubled = await restsOf(session);
  await told(session);
  await applyPlan(world, session, summaryPlan([session.ids[2] ?? 0], 'real'));

  expect(troubled).toMatchObject({
    fallback_streak: 2,
    probe_at: 300,
    cooldown_until: 300,
    timeout_streak: 2,
  });
  expect(await restsOf(session)).toMatchObject({
    cooldown_until: null,
    cooldown_reason: null,
    failure_streak: 0,
    fallback_streak: 0,
    timeout_streak: 0,
    trouble_told: null,
  });
});

test('a hold that ran out rests the holds alone and is no failure', async () => {
  const session = await sessionWith(world, ['one']);
  await end(session, { outcome: 'aborted', reason: 'turn_hold', holdRestMs: 60_000 });

  expect(await restsOf(session)).toMatchObject({
    hold_rest_until: 60,
    hold_rest_reason: 'turn_hold',
    hold_failure_streak: 0,
    cooldown_until: null,
    failure_streak: 0,
  });
});

test('H7 failures of held attempts count until a summary makes the prompt clearly smaller', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  await end(session, { ...failed('summary_auth'), holdRestMs: 300_000 });
  await end(session, { ...failed('summary_auth'), holdRestMs: 900_000 });
  const twice = await restsOf(session);
  const alike = { ...someFigures, rowsAfter: 8, tokensAfter: 8_600 };
  await applyPlan(world, session, summaryPlan([session.ids[0] ?? 0], 'grown', { figures: alike }));
  const grown = await restsOf(session);
  await applyPlan(world, session, summaryPlan([session.ids[1] ?? 0], 'smaller'));

  expect([twice, grown]).toMatchObject([
    { hold_failure_streak: 2, hold_rest_until: 900, hold_rest_reason: 'summary_auth' },
    { hold_failure_streak: 2, hold_rest_until: 900 },
  ]);
  expect(await restsOf(session)).toMatchObject({ hold_failure_streak: 0, hold_rest_until: null });
});

test('a summary that the main model wrote ends the rests, names the failed model and stays told', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  await end(session, failed('summary_timeout'));
  await told(session);
  const auxiliaryFailure = { model: 'small-model', reason: 'summary_timeout' } as const;
  const plan = { auxiliaryFailure, summaryModel: 'main-model' };
  const id = await applyPlan(world, session, summaryPlan([session.ids[0] ?? 0], 'by main', plan));

  expect(await restsOf(session)).toMatchObject({
    cooldown_until: null,
    failure_streak: 0,
    auxiliary_failed: 'small-model',
    trouble_told: 'took_over',
  });
  expect(await world.query('SELECT message FROM compactions WHERE id = $1', [id])).toEqual([
    { message: 'the summary model small-model failed (summary_timeout); main-model wrote the summary' },
  ]);
});

test('automatic compactions of the last hour are counted, those that people asked for are not', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  for (const [index, layer] of ['agent', 'background', 'manual', 'hygiene'].entries()) {
    const id = await applyPlan(world, session, summaryPlan([session.ids[index] ?? 0], 'a summary'));
    await world.query('UPDATE compactions SET layer = $2 WHERE id = $1', [id, layer]);
    if (layer === 'agent')
      await world.query(`UPDATE compactions SET finished_at = now() - interval '61 minutes' WHERE id = $1`, [
        id,
      ]);
  }

  const inLastHour = [
    await world.compactions.appliedLastHour(session.sessionId, 30),
    await world.compactions.appliedLastHour(session.sessionId, 1),
  ];

  expect(inLastHour).toEqual([2, 1]);
});

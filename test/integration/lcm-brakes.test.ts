import type { LcmChange, LcmDebtRequest } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan } from '../support/compacted-sessions.ts';
import { lcmOf, leafPlan } from '../support/lcm.ts';
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

const request: LcmDebtRequest = {
  reason: 'threshold',
  dueInMs: 0,
  budgetTokens: 128_000,
  currentTokens: 100_000,
  projectedTokens: 101_000,
  rawTokensOutsideTail: 60_000,
  thresholdTokens: 96_000,
  thresholdSource: 'default',
};

async function indebted(wish: Partial<LcmDebtRequest> = {}): Promise<TestSession & { revision: number }> {
  const session = await world.newSession();
  await world.query(`UPDATE sessions SET engine = 'lcm' WHERE id = $1`, [session.sessionId]);
  const revision = await lcmOf(world).requestDebt(session.sessionId, { ...request, ...wish });
  return { ...session, revision };
}

async function debtOf(session: TestSession) {
  return (await lcmOf(world).load(session.sessionId)).debt;
}

const release = (session: TestSession) =>
  world.query('UPDATE sessions SET lease_until = NULL WHERE id = $1', [session.sessionId]);

test('debts of a session are one row: figures are renewed, the earlier time stands', async () => {
  const session = await indebted();
  const first = await debtOf(session);

  await lcmOf(world).requestDebt(session.sessionId, { ...request, dueInMs: 300_000, currentTokens: 110_000 });

  expect(await debtOf(session)).toMatchObject({
    pending: true,
    running: false,
    currentTokens: 110_000,
    dueAt: first?.dueAt,
    requestedAt: first?.requestedAt,
    revision: 2,
    thresholdSource: 'default',
  });
});

test('A34 a stale close is refused, and a running debt cannot be closed', async () => {
  const session = await indebted();
  const lcm = lcmOf(world);
  const running = await lcm.startDebt(session.sessionId, session.revision);

  expect(await lcm.startDebt(session.sessionId, session.revision)).toBeNull();
  const end = { kind: 'closed', resolutionReason: 'paid', currentTokens: 50_000 } as const;
  expect(await lcm.finishDebt(session.sessionId, session.revision, end)).toBe(false);
  expect(await lcm.finishDebt(session.sessionId, running!, end)).toBe(true);
  expect(await debtOf(session)).toMatchObject({ pending: false, resolutionReason: 'paid', retryAttempts: 0 });
});

test('A34 a failure stores its rest, an auth failure none, a success clears all', async () => {
  const session = await indebted();
  const lcm = lcmOf(world);
  const fail = async (retryInMs: number | null, revision: number) => {
    const started = await lcm.startDebt(session.sessionId, revision);
    const end = { kind: 'pending', retryInMs, isFailure: true, currentTokens: 100_000 } as const;
    await lcm.finishDebt(session.sessionId, started!, { ...end, lastFailure: 'summary_timeout' });
    return debtOf(session);
  };

  const rested = await fail(300_000, session.revision);
  const dueWhileResting = await lcm.dueDebts(10);
  const unrested = await fail(null, rested!.revision);

  expect(rested).toMatchObject({ pending: true, retryAttempts: 1, lastFailure: 'summary_timeout' });
  const restMs = (rested?.nextAttemptAfter?.getTime() ?? 0) - Date.now();
  expect([restMs > 280_000, restMs < 320_000]).toEqual([true, true]);
  expect(dueWhileResting).not.toContain(session.sessionId);
  expect(unrested).toMatchObject({ retryAttempts: 2, nextAttemptAfter: null });
  const started = await lcm.startDebt(session.sessionId, unrested!.revision);
  await lcm.finishDebt(session.sessionId, started!, {
    kind: 'closed',
    resolutionReason: 'paid',
    currentTokens: 1,
  });
  expect(await debtOf(session)).toMatchObject({
    retryAttempts: 0,
    lastFailure: null,
    nextAttemptAfter: null,
  });
});

test('A35 a debt that a partial drain leaves over its target stays pending without a failure', async () => {
  const session = await indebted();
  const lcm = lcmOf(world);
  const started = await lcm.startDebt(session.sessionId, session.revision);
  await lcm.finishDebt(session.sessionId, started!, {
    kind: 'pending',
    retryInMs: 60_000,
    isFailure: false,
    lastFailure: null,
    currentTokens: 97_000,
  });

  expect(await debtOf(session)).toMatchObject({ pending: true, retryAttempts: 0, currentTokens: 97_000 });
  // A new request does not end the rest.
  await lcm.requestDebt(session.sessionId, request);
  await release(session);
  expect(await lcm.dueDebts(10)).not.toContain(session.sessionId);
});

test('the sweeper finds due debts of free sessions, longest due first', async () => {
  const held = await indebted();
  const later = await indebted({ dueInMs: 60_000 });
  const first = await indebted();
  const second = await indebted();
  for (const session of [later, second, first]) await release(session);

  const due = await lcmOf(world).dueDebts(10);

  expect(due.filter((id) => [held, later, first, second].some((one) => one.sessionId === id))).toEqual([
    first.sessionId,
    second.sessionId,
  ]);
});

test('a debt left running by a dead worker is due again, and the next holder starts it', async () => {
  const session = await indebted();
  const lcm = lcmOf(world);
  await lcm.startDebt(session.sessionId, session.revision);
  await release(session);

  expect(await lcm.dueDebts(10)).toContain(session.sessionId);
  expect((await lcm.doctor(session.sessionId)).map(({ check }) => check)).toEqual(['orphan_debt']);
  const read = await debtOf(session);
  expect(await lcm.startDebt(session.sessionId, read!.revision)).toBe(read!.revision + 1);
});

test('a debt of a session under another engine waits; one that is put off or planned for is not due either', async () => {
  const left = await indebted();
  const putOff = await indebted();
  await world.query(`UPDATE sessions SET engine = 'compressor' WHERE id = $1`, [left.sessionId]);
  const planned = await indebted();
  await world.query(`UPDATE sessions SET preparing_until = now() + interval '1 minute' WHERE id = $1`, [
    planned.sessionId,
  ]);
  for (const session of [left, putOff, planned]) await release(session);

  await lcmOf(world).restDebt(putOff.sessionId, 600_000);

  const due = await lcmOf(world).dueDebts(10);
  expect(due).not.toContain(left.sessionId);
  expect(due).not.toContain(putOff.sessionId);
  expect(due).not.toContain(planned.sessionId);
  expect(await debtOf(putOff)).toMatchObject({ pending: true, retryAttempts: 0 });
});

test('the end of a debt comes with the plan that pays it, and not without that', async () => {
  const session = await indebted();
  const lcm = lcmOf(world);
  const revision = (await lcm.startDebt(session.sessionId, session.revision))!;
  const end = { kind: 'closed', resolutionReason: 'paid', currentTokens: 50_000 } as const;
  const rows = await world.append(session.lease, [personRow('said'), assistantRow('answered')]);
  const plan = leafPlan(session.sessionId, rows, 'what was said');
  const paying = {
    ...plan,
    state: { engine: 'lcm', json: { ...(plan.state!.json as LcmChange), debtEnd: { revision, end } } },
  };
  const outdated = { ...paying, archive: [...plan.archive, 999_999] };

  await expect(applyPlan(world, session, outdated)).rejects.toMatchObject({ code: 'plan_outdated' });
  const before = await debtOf(session);
  await applyPlan(world, session, paying);

  expect(before).toMatchObject({ pending: true, running: true });
  expect(await debtOf(session)).toMatchObject({ pending: false, running: false, resolutionReason: 'paid' });
});

test('a debt written with a turn is there after its transaction', async () => {
  const session = await world.newSession();
  await lcmOf(world).write(session.lease, { debt: request });

  expect(await debtOf(session)).toMatchObject({ pending: true, reason: 'threshold' });
});

test('A33 a breaker opens at the threshold for its model only, closes after the cooldown, and a success resets it', async () => {
  const lcm = lcmOf(world);
  const policy = { threshold: 3, cooldownMs: 60_000 };
  const fail = () => lcm.breakerFailed('openai', 'small', policy);
  await fail();
  const second = await fail();
  await lcm.breakerSucceeded('openai', 'small');
  const afterSuccess = await fail();
  await fail();
  const third = await fail();
  const other = await lcm.breakerFailed('openai', 'large', policy);
  await world.query(
    `UPDATE lcm_breaker SET open_until = now() - interval '1 s' WHERE provider = 'openai' AND model = 'small'`,
  );
  const afterCooldown = await fail();

  expect(second).toMatchObject({ failures: 2, openUntil: null });
  expect(afterSuccess).toMatchObject({ failures: 1, openUntil: null });
  expect(third.failures).toBe(3);
  expect((third.openUntil?.getTime() ?? 0) - Date.now()).toBeGreaterThan(50_000);
  expect(other).toMatchObject({ failures: 1, openUntil: null });
  expect(afterCooldown).toMatchObject({ failures: 1, openUntil: null });
});

test('failures that several workers count at once are all counted', async () => {
  const lcm = lcmOf(world);
  const policy = { threshold: 50, cooldownMs: 1_000 };
  await Promise.all(Array.from({ length: 20 }, () => lcm.breakerFailed('parallel', 'm', policy)));

  const session = await world.newSession();
  const { breakers } = await lcm.load(session.sessionId);
  expect(breakers.find(({ provider }) => provider === 'parallel')?.failures).toBe(20);
});

test('summary calls of a window are bounded, then comes a rest, then a new window', async () => {
  const session = await world.newSession();
  const lcm = lcmOf(world);
  const policy = { maxCalls: 4, windowMs: 600_000, backoffMs: 1_800_000 };
  const spend = async (calls: number) => (await lcm.spend(session.sessionId, calls, policy)).allowed;

  expect([await spend(3), await spend(1), await spend(1), await spend(0)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const resting = await lcm.load(session.sessionId);
  expect(resting.spend?.calls).toBe(4);
  await world.query(`UPDATE lcm_spend SET backoff_until = now() - interval '1 s' WHERE session_id = $1`, [
    session.sessionId,
  ]);
  expect([await spend(4), await spend(1)]).toEqual([true, false]);
});

test('a window that is over counts anew; a stalled sweep rests at once; a person’s wish clears all', async () => {
  const session = await world.newSession();
  const lcm = lcmOf(world);
  const policy = { maxCalls: 2, windowMs: 600_000, backoffMs: 1_800_000 };
  const spend = async () => (await lcm.spend(session.sessionId, 2, policy)).allowed;
  await spend();
  await world.query(
    `UPDATE lcm_spend SET window_started_at = now() - interval '11 min' WHERE session_id = $1`,
    [session.sessionId],
  );
  const nextWindow = await spend();
  await lcm.stopSpend(session.sessionId, policy);
  const stopped = await spend();
  await lcm.clearSpend(session.sessionId);

  expect([nextWindow, stopped, await spend()]).toEqual([true, false, true]);
});

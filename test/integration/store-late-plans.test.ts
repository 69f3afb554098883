/** A plan that comes when another worker has the session. */
import { LeaseLost } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan, sessionWith } from '../support/compacted-sessions.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { makePlan, openCompaction, summaryPlan } from '../support/plans.ts';
import { openStoreWorld, textsOf, type StoreWorld, type TestSession } from '../support/store-world.ts';
import { until } from '../support/until.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Worker 2 takes the session over. */
async function takeOver({ sessionId }: TestSession): Promise<void> {
  await world.expire(sessionId);
  await world.take(sessionId, 'worker-2');
}

test.for([
  ['that writes a summary', (ids: number[]) => summaryPlan(ids, 'too late')],
  ['that only archives', (ids: number[]) => makePlan({ archive: ids })],
] as const)('a holder whose lease was taken over applies nothing of a plan %s', async ([, planOf]) => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  await takeOver(session);

  await expect(applyPlan(world, session, planOf(session.ids.slice(0, 2)))).rejects.toThrow(LeaseLost);
  expect(textsOf(await world.transcript.liveRows(session.sessionId))).toEqual(['one', 'two', 'three']);
});

test('it waits for the session before it touches a row that the new holder may want', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const id = await openCompaction(world.compactions, session.sessionId);
  await takeOver(session);
  await world.query('BEGIN');
  await world.query('SELECT FROM sessions WHERE id = $1 FOR NO KEY UPDATE', [session.sessionId]);
  const late = world.compactions.apply(session.lease, id, makePlan({ archive: session.ids }), []);
  const refused = expect(late).rejects.toThrow(LeaseLost);
  await until(async () => (await lockWaits(world.query)) > 0);

  const free = await world.query('SELECT FROM messages WHERE session_id = $1 FOR UPDATE SKIP LOCKED', [
    session.sessionId,
  ]);
  await world.query('COMMIT');

  await refused;
  expect(free).toHaveLength(3);
});

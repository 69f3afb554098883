import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan } from '../support/compacted-sessions.ts';
import { brokenRules, contextOf, leafPlan } from '../support/lcm.ts';
import { assistantRow, openStoreWorld, personRow, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** The server ends whoever is inside a transaction, as it does when the worker's process is killed. */
function killWriters(): Promise<unknown> {
  return world.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`);
}

test('a worker that dies at any moment of a compaction leaves the old context or the new one', async () => {
  const session = await world.newSession();
  const rows = await world.append(
    session.lease,
    Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0 ? personRow('said') : assistantRow('answered'),
    ),
  );
  let applied = 0;
  let died = 0;

  for (let start = 0; start < rows.length; start += 4) {
    const plan = leafPlan(session.sessionId, rows.slice(start, start + 4), `part ${start}`);
    const applying = applyPlan(world, session, plan).then(
      () => (applied += 1),
      () => (died += 1),
    );
    // Looked for again and again, so that it meets each attempt somewhere else.
    for (let look = 0; look < start % 5; look += 1) await killWriters();
    await applying;
    expect(await brokenRules(world, session.sessionId)).toEqual([]);
  }

  const context = await contextOf(world, session.sessionId);
  const parts = context.filter((entry) => entry.startsWith('(part')).length;
  expect(applied + died).toBe(15);
  // One whose commit went through, but whose answer was lost, died and is there.
  expect(parts).toBeGreaterThanOrEqual(applied);
  expect(context).toHaveLength(parts + (15 - parts) * 4);
});

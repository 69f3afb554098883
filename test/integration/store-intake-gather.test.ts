import { afterAll, beforeAll, expect, test } from 'vitest';
import { messageUpdate, policy } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());

test('messages that come one by one while a transaction is under way are stored by few transactions, in order', async () => {
  const one = policy();

  const results = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      world.store.intake.storeUpdates(one, [messageUpdate(index + 1, `m${index}`)]),
    ),
  );

  expect(results.map((result) => result.length)).toEqual(Array.from({ length: 60 }, () => 1));
  expect(results.map(([result]) => result?.updateKey)).toEqual(
    Array.from({ length: 60 }, (_, index) => String(1001 + index)),
  );
  const [stored] = await world.sql(
    `SELECT count(*)::int AS rows, count(DISTINCT xmin::text)::int AS transactions,
       bool_and(content->'message'->>'text' = 'm' || (seq - 1)) AS ordered FROM mailbox`,
  );
  expect(stored).toEqual({ rows: 60, transactions: 2, ordered: true });
});

import { expect, test } from 'vitest';

const address = new URL('../../apps/dashboard/src/pages/attempt-facts.js', import.meta.url);
const { factsOf } = (await import(address.href)) as { factsOf(row: object): string[] };

const declined = {
  figures: null,
  summaryModel: null,
  durationMs: 20,
  dollars: null,
  cacheShareBefore: null,
  cacheShareAfter: null,
  messagesDeferred: 0,
};

test('an attempt that was declined took its time and nothing else', () => {
  expect(factsOf(declined)).toEqual(['took 20 ms']);
});

test('what came from the cache before and after, and who waited meanwhile', () => {
  const row = { ...declined, cacheShareBefore: 0.924, cacheShareAfter: 0.05, messagesDeferred: 2 };

  expect(factsOf(row)).toEqual(['took 20 ms', 'read from cache 92 % → 5 %', '2 messages waited']);
});

test('the next model call has not come yet', () => {
  expect(factsOf({ ...declined, cacheShareBefore: 0.5, messagesDeferred: 1 })).toEqual([
    'took 20 ms',
    'read from cache 50 % → –',
    '1 message waited',
  ]);
});

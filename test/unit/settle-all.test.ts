import { expect, test } from 'vitest';
import { settleAll } from '@palimpsest/core';

// A sender that began again while its former sends were under way sent their replies twice, without a mark.
test('a failure is told only when everything else has ended', async () => {
  const slow = Promise.withResolvers<void>();
  const ends: string[] = [];

  const all = settleAll([Promise.reject(new Error('one reply')), slow.promise.then(() => ends.push('slow'))]);
  const told = all.catch((cause: unknown) => ends.push(String(cause)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(ends).toEqual([]);
  slow.resolve();
  await told;

  expect(ends).toEqual(['slow', 'Error: one reply']);
});

test('where nothing fails nothing is thrown', async () => {
  await expect(settleAll([Promise.resolve(1), Promise.resolve(2)])).resolves.toBeUndefined();
  await expect(settleAll([])).resolves.toBeUndefined();
});

import { expect, test } from 'vitest';
import { limitConcurrency } from '../../packages/queue/src/limit-concurrency.ts';

test('no more than so many run at once, the others follow in order, and a failure makes room', async () => {
  const inTurn = limitConcurrency(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const all = ends.map((end, index) =>
    inTurn(async () => {
      begun.push(index);
      await end.promise;
      return index;
    }),
  );
  await settled();

  expect(begun).toEqual([0, 1]);
  ends[1]!.reject(new Error('broken'));
  await expect(all[1]).rejects.toThrow('broken');
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  for (const end of ends) end.resolve();
  expect(await Promise.all([all[0], all[2], all[3], all[4]])).toEqual([0, 2, 3, 4]);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

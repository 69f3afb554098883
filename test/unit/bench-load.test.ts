import { expect, test } from 'vitest';
import { findKnee } from '../../apps/evals/src/bench/load/find-knee.ts';
import { slopeOf } from '../../apps/evals/src/bench/load/memory-slope.ts';

async function kneeOf(limit: number): Promise<{ knee: number; tried: number[] }> {
  const tried: number[] = [];
  const knee = await findKnee(25, (perSecond) =>
    Promise.resolve(tried.push(perSecond) > 0 && perSecond <= limit),
  );
  return { knee, tried };
}

test('rates double until it is too much, then the border is narrowed down', async () => {
  expect(await kneeOf(130)).toEqual({ knee: 125, tried: [25, 50, 100, 200, 150, 125, 138] });
});

test('a service that cannot keep up with the first rate has no knee', async () => {
  expect(await kneeOf(10)).toEqual({ knee: 0, tried: [25] });
});

test('the slope is megabytes a minute, whatever the noise', () => {
  const readings = [100, 103, 102, 105, 104, 107].map((megabytes, minute) => ({ minute, megabytes }));

  // By hand: sum of (x - 2.5)(y - 103.5) is 20.5, of (x - 2.5)^2 is 17.5.
  expect(slopeOf(readings)).toBeCloseTo(1.1714, 4);
  expect(slopeOf(readings.map(({ minute }) => ({ minute, megabytes: 80 })))).toBe(0);
});

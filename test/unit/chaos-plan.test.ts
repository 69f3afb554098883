import { expect, test } from 'vitest';
import { planFaults } from '../../apps/evals/src/chaos/faults.ts';
import { planTalk } from '../../apps/evals/src/chaos/people.ts';

const threeMinutes = 180_000;

test('the same seed gives the same faults at the same times, and the same words', () => {
  expect(planFaults(7, threeMinutes)).toEqual(planFaults(7, threeMinutes));
  expect(planTalk(7, threeMinutes)).toEqual(planTalk(7, threeMinutes));
});

test('another seed gives other faults', () => {
  expect(planFaults(8, threeMinutes)).not.toEqual(planFaults(7, threeMinutes));
});

test('a shorter run is the beginning of a longer one', () => {
  const short = planFaults(7, 20_000);

  expect(short.length).toBeGreaterThan(3);
  expect(planFaults(7, threeMinutes).slice(0, short.length)).toEqual(short);
});

test('twenty seeds meet every kind of fault', () => {
  const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
  const kinds = new Set(
    seeds.flatMap((seed) => planFaults(seed, threeMinutes).map(({ fault }) => fault.kind)),
  );

  expect([...kinds].sort()).toEqual([
    'clock',
    'cut',
    'discord',
    'discord_gone',
    'freeze',
    'half',
    'kill',
    'model',
    'postgres_crash',
    'redis_emptied',
    'redis_frozen',
    'redis_stopped',
    'repeated_update',
    'slow',
    'telegram',
  ]);
});

test('each chat counts its words up, in order of time', () => {
  const words = planTalk(3, threeMinutes).filter(
    ({ chat }) => chat.platform === 'discord' && chat.index === 1,
  );

  expect(words.length).toBeGreaterThan(5);
  expect(words.map(({ mark }) => mark)).toEqual(words.map((_, index) => `q${index + 1}`));
  expect(words.every(({ atMs }, index) => index === 0 || atMs >= words[index - 1]!.atMs)).toBe(true);
});

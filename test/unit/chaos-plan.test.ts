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

test('twenty seeds meet every way in which the counterparts fail, and every line that is cut', () => {
  const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
  const faults = seeds.flatMap((seed) => planFaults(seed, threeMinutes).map(({ fault }) => fault));
  const ways = new Set(faults.map((fault) => ('how' in fault ? `${fault.kind} ${fault.how}` : '')));
  const cuts = new Set(faults.flatMap((fault) => (fault.kind === 'cut' ? [fault.server] : [])));
  const killed = new Set(faults.flatMap((fault) => (fault.kind === 'kill' ? [fault.program] : [])));
  const frozenMs = faults.flatMap((fault) => (fault.kind === 'freeze' ? [fault.forMs] : []));

  for (const way of ['telegram conflict', 'telegram flood', 'telegram error', 'telegram lost_answer'])
    expect(ways).toContain(way);
  for (const way of ['discord limit', 'discord error', 'discord lost_answer']) expect(ways).toContain(way);
  for (const way of ['model rate_limit', 'model overloaded', 'model server_error', 'model cut_stream'])
    expect(ways).toContain(way);
  expect([...cuts].sort()).toEqual(['discord', 'model', 'postgres', 'redis', 'telegram']);
  expect([...killed].sort()).toEqual(['gateway-1', 'gateway-2', 'worker-1', 'worker-2', 'worker-3']);
  // Longer than the lease of a run, five seconds.
  expect(Math.min(...frozenMs)).toBeGreaterThan(5_000);
});

test('each chat counts its words up, in order of time', () => {
  const words = planTalk(3, threeMinutes).filter(
    ({ chat }) => chat.platform === 'discord' && chat.index === 1,
  );

  expect(words.length).toBeGreaterThan(5);
  expect(words.map(({ mark }) => mark)).toEqual(words.map((_, index) => `q${index + 1}`));
  expect(words.every(({ atMs }, index) => index === 0 || atMs >= words[index - 1]!.atMs)).toBe(true);
});

import { expect, test } from 'vitest';
import { EventQueue } from '../../apps/evals/src/scale/event-queue.ts';
import { simulate } from '../../apps/evals/src/scale/simulate.ts';
import { bottleneckOf, capacityOf, meanResponseMs, stationsOf } from '../../apps/evals/src/scale/stations.ts';

const times = { gatewayMs: 1, workerMs: 4, postgresMs: 3, redisMs: 0.5 };
const setup = { gateways: 1, workers: 1, concurrency: 20, postgresCores: 8, modelMs: 5_000 };

test('one server, half busy, keeps a message twice as long as it works on it', () => {
  expect(meanResponseMs([{ name: 'one', servers: 1, serviceMs: 10 }], 50)).toBeCloseTo(20, 9);
});

test('two servers at a load of one: a third of the messages wait, by Erlang', () => {
  // C(2, 1) = 1/3; the wait is 1/3 * 10 ms / (2 - 1).
  expect(meanResponseMs([{ name: 'two', servers: 2, serviceMs: 10 }], 100)).toBeCloseTo(10 + 10 / 3, 9);
});

test('nobody comes through where more comes than is worked off', () => {
  expect(meanResponseMs([{ name: 'one', servers: 1, serviceMs: 10 }], 100)).toBe(Infinity);
});

test('one worker is full of turns that wait for the model; a hundred of them fill Postgres before that', () => {
  const few = stationsOf(times, setup);
  const many = stationsOf(times, { ...setup, workers: 100, gateways: 10, concurrency: 200 });

  expect([bottleneckOf(few).name, capacityOf(bottleneckOf(few))]).toEqual(['model_slots', 4]);
  expect(bottleneckOf(many).name).toBe('redis');
  expect(bottleneckOf(many.filter(({ name }) => name !== 'redis')).name).toBe('postgres');
  expect(capacityOf(many.at(-1)!)).toBeCloseTo(2666.67, 2);
});

test('the simulation agrees with the formula, and lets no more through than the bottleneck', () => {
  const stations = stationsOf(times, { ...setup, workers: 2, modelMs: 0 });

  const usual = simulate(stations, { perSecond: 400, messages: 50_000, seed: 1 });
  const flooded = simulate(stations, { perSecond: 2_000, messages: 20_000, seed: 1 });

  // Gateway 1000/600, Redis 1/1.6, worker 4/(1 - 0.64), Postgres 3.
  expect(meanResponseMs(stations, 400)).toBeCloseTo(1.6667 + 0.625 + 11.1111 + 3.0, 1);
  expect(Math.abs(usual.meanResponseMs / meanResponseMs(stations, 400) - 1)).toBeLessThan(0.1);
  expect(usual.messagesPerSecond / 400).toBeCloseTo(1, 1);
  expect(flooded.messagesPerSecond / 500).toBeCloseTo(1, 1);
});

test('events come in the order of their times', () => {
  const queue = new EventQueue<string>();
  for (const at of [5, 1, 4, 1, 3, 9, 2]) queue.add(at, `at ${at}`);

  const taken = Array.from({ length: 7 }, () => queue.take()?.at);

  expect([...taken, queue.take()]).toEqual([1, 1, 2, 3, 4, 5, 9, null]);
});

/** The same network played message by message, so that the formulas are not believed blindly. */
import { seededRandom, type Random } from '../chaos/random.ts';
import { EventQueue } from './event-queue.ts';
import type { Station } from './stations.ts';

export interface Simulated {
  messagesPerSecond: number;
  meanResponseMs: number;
}

/** A tenth of the messages fill the empty network and are not counted. */
const warmUpShare = 0.1;

/** `messages` arrive at random, on average `perSecond`; each waits its turn at every station, first come first served. */
export function simulate(
  stations: readonly Station[],
  load: { perSecond: number; messages: number; seed: number },
): Simulated {
  const random = seededRandom(load.seed);
  const events = new EventQueue<{ message: number; station: number }>();
  // When each server of a station is free again; the earliest is taken.
  const free = stations.map(({ servers }) => {
    const queue = new EventQueue<null>();
    for (let server = 0; server < servers; server += 1) queue.add(0, null);
    return queue;
  });
  const arrivedAt: number[] = [];
  let clock = 0;
  for (let message = 0; message < load.messages; message += 1) {
    clock += exponential(random, 1000 / load.perSecond);
    arrivedAt.push(clock);
    events.add(clock, { message, station: 0 });
  }
  const endedAt = new Float64Array(load.messages);
  for (let next = events.take(); next !== null; next = events.take()) {
    const { message, station } = next.value;
    const server = free[station]?.take();
    if (!server) {
      endedAt[message] = next.at;
      continue;
    }
    const end = Math.max(next.at, server.at) + exponential(random, stations[station]!.serviceMs);
    free[station]!.add(end, null);
    events.add(end, { message, station: station + 1 });
  }
  return figuresOf(arrivedAt, endedAt);
}

function figuresOf(arrivedAt: readonly number[], endedAt: Float64Array): Simulated {
  const first = Math.floor(arrivedAt.length * warmUpShare);
  const counted = arrivedAt.slice(first);
  const last = endedAt.reduce((latest, at) => Math.max(latest, at), 0);
  const waits = counted.map((at, index) => endedAt[first + index]! - at);
  return {
    messagesPerSecond: (arrivedAt.length * 1000) / last,
    meanResponseMs: waits.reduce((sum, wait) => sum + wait, 0) / waits.length,
  };
}

function exponential(random: Random, mean: number): number {
  return -Math.log(1 - random()) * mean;
}

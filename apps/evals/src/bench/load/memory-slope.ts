/** Does the process grow? A steady load for a long time, its memory read again and again. */
import { rounded, type Figures } from '../figures.ts';
import { pace } from '../pipeline/traffic.ts';
import { untilAllStored } from '../pipeline/warm-world.ts';
import type { LoadedWorld } from './run-step.ts';
import type { Talk } from './talk.ts';

/** The measurement itself keeps times of so many seconds at most. */
const windowSeconds = 5;
/** Code is compiled, pools and caches fill: what grows in the first minutes is no leak. */
const settleMinutes = 5;
/** Of a short run, this much of it. */
const settleShare = 0.25;

export interface MemoryWish {
  minutes: number;
  perSecond: number;
  signal: AbortSignal;
  progress(line: string): void;
}

/** A reading of the resident memory. */
export interface MemoryReading {
  minute: number;
  megabytes: number;
}

export async function measureMemory(world: LoadedWorld, talk: Talk, wish: MemoryWish): Promise<Figures> {
  const readings: MemoryReading[] = [];
  const startedAt = performance.now();
  const minutes = (): number => (performance.now() - startedAt) / 60_000;
  while (minutes() < wish.minutes && !wish.signal.aborted) {
    const updates = talk.next(wish.perSecond * Math.min(windowSeconds, wish.minutes * 10));
    world.intake.times.begin(updates.length);
    await pace(updates, wish.perSecond, world.intake);
    await untilAllStored(world.intake.times, updates.length, wish.signal);
    readings.push({ minute: minutes(), megabytes: process.memoryUsage.rss() / 2 ** 20 });
    if (readings.length % 12 === 0) wish.progress(`memory: minute ${minutes().toFixed(1)} …`);
  }
  const from = Math.min(settleMinutes, wish.minutes * settleShare);
  const settled = readings.filter(({ minute }) => minute >= from);
  return {
    memory_minutes: rounded(minutes()),
    memory_messages_per_s: wish.perSecond,
    memory_at_start_mb: rounded(readings[0]?.megabytes ?? Number.NaN),
    memory_at_end_mb: rounded(readings.at(-1)?.megabytes ?? Number.NaN),
    memory_slope_mb_per_minute: settled.length < 2 ? 'too short to tell' : rounded(slopeOf(settled)),
  };
}

/** Least squares: megabytes a minute. */
export function slopeOf(readings: readonly MemoryReading[]): number {
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  const minute = mean(readings.map((one) => one.minute));
  const megabytes = mean(readings.map((one) => one.megabytes));
  const along = readings.map((one) => (one.minute - minute) * (one.megabytes - megabytes));
  const across = readings.map((one) => (one.minute - minute) ** 2);
  return mean(along) / mean(across);
}

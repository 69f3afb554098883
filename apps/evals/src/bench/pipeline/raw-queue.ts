import { silentLogger, systemClock } from '@palimpsest/core';
import { openPlainQueue, type PlainQueue } from '@palimpsest/queue';
import { quantiles, rounded, type Figures } from '../figures.ts';
import type { QueuePlace } from './open-world.ts';

/** Before the clock runs. */
const warmUpJobs = 200;
const onTheirWay = 50;
const mostTries = 20;

export interface RawWish {
  jobs: number;
  perSecond: number;
  concurrency: number;
}

/** Plain BullMQ with a handler that does nothing: a flood, then paced like the pipeline. The floor under its figures. */
export async function measureRawQueue(place: QueuePlace, wish: RawWish): Promise<Figures> {
  const flooded = await run(place, { ...wish, perSecond: Infinity });
  const paced = await run(place, wish);
  return {
    [`raw_${place.backend}_jobs_per_s`]: rounded((wish.jobs * 1000) / flooded.wallMs),
    ...quantiles(`raw_${place.backend}_add_to_process`, paced.waitsMs, [0.5, 0.99]),
  };
}

async function run(
  place: QueuePlace,
  wish: RawWish,
): Promise<{ waitsMs: readonly number[]; wallMs: number }> {
  await using stack = new AsyncDisposableStack();
  const queue = await openPlainQueue({ ...place, prefix: `${place.prefix}_raw`, logger: silentLogger });
  stack.defer(() => queue.close());
  let waitsMs: number[] = [];
  let expected = warmUpJobs;
  let done = Promise.withResolvers<void>();
  const worker = await queue.work(async (data) => {
    const { at } = data as { at: number };
    waitsMs.push(performance.now() - at);
    if (waitsMs.length === expected) done.resolve();
  }, wish.concurrency);
  stack.defer(() => worker.stop(1_000));
  await addJobs(queue, { ...wish, jobs: expected, perSecond: Infinity });
  await done.promise;
  waitsMs = [];
  done = Promise.withResolvers<void>();
  expected = wish.jobs;
  const startedAt = performance.now();
  await addJobs(queue, wish);
  await done.promise;
  return { waitsMs, wallMs: performance.now() - startedAt };
}

/** A paced job is added at its time, whether the ones before are through or not; a flood keeps so many on their way. */
async function addJobs(queue: PlainQueue, wish: RawWish): Promise<void> {
  const startedAt = performance.now();
  const adding: Promise<void>[] = [];
  for (let index = 0; index < wish.jobs; index += 1) {
    const waitMs = startedAt + (index * 1000) / wish.perSecond - performance.now();
    if (waitMs > 0) await systemClock.sleep(waitMs);
    adding.push(addUntilThere(queue, { at: performance.now(), sessionId: `20261129_000000_${index}` }));
    if (wish.perSecond === Infinity && adding.length % onTheirWay === 0) await Promise.all(adding);
  }
  await Promise.all(adding);
}

/** BullMQ on Postgres has one connection, and an add that waits too long for it fails; its wait goes on counting. */
async function addUntilThere(queue: PlainQueue, job: { at: number; sessionId: string }): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await queue.add(job);
    } catch (thrown) {
      if (tries === mostTries) throw thrown;
    }
  }
}

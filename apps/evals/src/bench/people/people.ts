import { createWorkerDeps, ownerName, readSettings } from '@palimpsest/cli';
import { GatewayError, silentLogger, silentMeter, systemClock } from '@palimpsest/core';
import { startGateway } from '@palimpsest/gateway';
import { createQueue } from '@palimpsest/queue';
import { openStore } from '@palimpsest/store';
import { startWorker } from '@palimpsest/worker';
import type { BenchInput } from '../bench-input.ts';
import { quantiles, rounded, type Figures, type QueueBackend } from '../figures.ts';
import { instantModel } from '../pipeline/instant-model.ts';
import { openPlace, type QueuePlace } from '../pipeline/open-world.ts';
import { PeoplePlatform } from './people-platform.ts';

/** Messages a second; each run is this long. */
const rates = [1, 50, 200] as const;
const runSeconds = 10;
/** Each of so many people at once says something before the clock runs. */
const atOnce = 50;
const patienceMs = 60_000;

/**
 * What a person feels beside the model: from the message coming in to the first thing sent back, through intake, queue,
 * worker and delivery, with a model that answers at once. A direct chat a person, each with a message before it.
 */
export async function benchPeople(input: BenchInput): Promise<Figures> {
  const redis = await input.services.redis();
  const databaseUrl = await input.services.databaseUrl();
  const figures: Figures = redis.url === null ? { redis_left_out: redis.words } : {};
  for (const backend of input.sizes.queues) {
    if (backend === 'redis' && redis.url === null) continue;
    await using stack = new AsyncDisposableStack();
    const place = await openPlace(stack, backend, { databaseUrl, redisUrl: redis.url });
    Object.assign(figures, await measure(input, backend, place));
  }
  return figures;
}

async function measure(input: BenchInput, backend: QueueBackend, place: QueuePlace): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const people = await openPeople(stack, place);
  const most = input.sizes.sessions * input.sizes.messages;
  const figures: Figures = {};
  let met = 0;
  for (const rate of rates) {
    const count = Math.max(2, Math.min(rate * runSeconds, most));
    input.progress(`people on ${backend}: ${rate} messages a second …`);
    await greet(people, { from: met, count }, input.signal);
    const startedAt = performance.now();
    await speak(people, { from: met, count, rate }, input.signal);
    const perSecond = rounded((count * 1000) / (performance.now() - startedAt));
    met += count;
    Object.assign(figures, {
      [`${backend}_at_${rate}_messages`]: count,
      [`${backend}_at_${rate}_messages_per_s`]: perSecond,
      ...quantiles(`${backend}_first_reply_at_${rate}_per_s`, people.waitsMs, [0.5, 0.99]),
    });
  }
  return { ...figures, [`${backend}_refused_intakes`]: people.refused };
}

/** The whole service in this process, with the settings of a fresh installation that lets everybody in. */
async function openPeople(stack: AsyncDisposableStack, place: QueuePlace): Promise<PeoplePlatform> {
  const settings = readSettings({}, '/nonexistent');
  settings.config.platforms.telegram.allow_all = true;
  const poolSize = Math.min(20, 6 + Math.ceil(settings.config.worker.concurrency / 3));
  const store = await openStore({ databaseUrl: place.databaseUrl, logger: silentLogger, poolSize });
  stack.defer(() => store.close());
  const queue = await createQueue({ ...place, logger: silentLogger });
  stack.defer(() => queue.close());
  const parts = { settings, logger: silentLogger, meter: silentMeter, store, queue, owner: ownerName() };
  const worker = await startWorker(createWorkerDeps(parts, instantModel));
  stack.defer(() => worker.stop(5_000));
  const people = new PeoplePlatform();
  const gateway = startGateway({ ...parts, config: settings.config, clock: systemClock }, [people.adapter]);
  stack.defer(() => gateway.stop());
  return people;
}

interface Group {
  from: number;
  count: number;
}

/** Everybody's first message, so that chats and sessions are there before the clock runs. */
async function greet(people: PeoplePlatform, { from, count }: Group, signal: AbortSignal): Promise<void> {
  people.begin(count);
  for (let start = 0; start < count; start += atOnce) {
    const some = Math.min(atOnce, count - start);
    await Promise.all(Array.from({ length: some }, (_, index) => people.say(from + start + index, 1)));
  }
  await untilSeen(people, signal);
}

/** One message every 1/rate seconds by the clock, whether the service keeps up or not. */
async function speak(
  people: PeoplePlatform,
  { from, count, rate }: Group & { rate: number },
  signal: AbortSignal,
): Promise<void> {
  people.begin(count);
  const startedAt = performance.now();
  const running: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const waitMs = startedAt + (index * 1000) / rate - performance.now();
    if (waitMs > 0) await systemClock.sleep(waitMs);
    running.push(people.say(from + index, 2));
  }
  await Promise.all(running);
  await untilSeen(people, signal);
}

async function untilSeen(people: PeoplePlatform, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.any([AbortSignal.timeout(patienceMs), signal]);
  const isOver = new Promise<'over'>((resolve) =>
    patience.addEventListener('abort', () => resolve('over'), { once: true }),
  );
  if ((await Promise.race([people.allSeen, isOver])) === 'over')
    throw new GatewayError('internal', `messages without a visible reply after ${patienceMs / 1000} s`);
}

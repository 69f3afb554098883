/** What a message costs each process, and how many of them this machine takes: the numbers that the model is fed with and checked by. */
import { availableParallelism } from 'node:os';
import { silentLogger } from '@palimpsest/core';
import { createQueue } from '@palimpsest/queue';
import { openStore } from '@palimpsest/store';
import type { EvalContext } from '../context.ts';
import { findKnee } from '../bench/load/find-knee.ts';
import { openLoadedWorld } from '../bench/load/load.ts';
import { runStep, type StepResult } from '../bench/load/run-step.ts';
import { Talk } from '../bench/load/talk.ts';
import { JourneyTimes } from '../bench/pipeline/journey-times.ts';
import { openPlace } from '../bench/pipeline/open-world.ts';
import { flood } from '../bench/pipeline/traffic.ts';
import { takeAll } from '../bench/pipeline/warm-world.ts';
import type { Services } from '../services/open-services.ts';
import type { ServiceTimes } from './stations.ts';

const firstRate = 25;
/** So many that nobody writes again before the answer: what comes meanwhile would join a turn, and cost less than one of its own. */
const chats = 2_000;
const intakeMessages = 2_000;

export interface Measured {
  times: ServiceTimes;
  /** The most messages a second that came through on this machine, whether all were in time or not. */
  measuredPerSecond: number;
  /** What the model says about it: our code on one core, all together on all of them. */
  predictedPerSecond: number;
}

export interface MeasureWish extends EvalContext {
  services: Services;
  /** Of a step. */
  seconds: number;
}

/** Steps to the knee with a model that answers at once; the costs are those of the last step that was kept up with. */
export async function measureTimes(wish: MeasureWish): Promise<Measured> {
  const gatewayMs = await measureIntake(wish);
  await using stack = new AsyncDisposableStack();
  const world = await openLoadedWorld(stack, wish, 'redis');
  const talk = new Talk(Array.from({ length: chats }, (_, index) => `chat-${index}`));
  wish.progress('scale: a first message of everybody …');
  // Newcomers cost more, for a chat and a session are made for them.
  await takeAll(world.intake, talk.next(chats), wish.signal);
  const steps: StepResult[] = [];
  const kneePerSecond = await findKnee(firstRate, async (perSecond) => {
    wish.progress(`scale: ${perSecond} messages a second …`);
    const step = await runStep(
      world,
      { perSecond, updates: talk.next(perSecond * wish.seconds) },
      wish.signal,
    );
    steps.push(step);
    return step.keepsUp;
  });
  const best = steps.find((step) => step.offeredPerSecond === kneePerSecond) ?? steps[0]!;
  const { service, postgres, redis } = best.cpuMs;
  const times = {
    gatewayMs,
    workerMs: Math.max(0, service - gatewayMs),
    postgresMs: postgres ?? 0,
    redisMs: redis ?? 0,
  };
  const all = service + times.postgresMs + times.redisMs;
  const predictedPerSecond = Math.min(1000 / service, (availableParallelism() * 1000) / all);
  const measuredPerSecond = Math.max(...steps.map((step) => step.messagesPerSecond));
  return { times, measuredPerSecond, predictedPerSecond };
}

/** Processor of this process a message, taken in and woken for, while no worker runs. */
async function measureIntake({ services, progress }: MeasureWish): Promise<number> {
  progress('scale: intake alone …');
  await using stack = new AsyncDisposableStack();
  const servers = { databaseUrl: await services.databaseUrl(), redisUrl: (await services.redis()).url };
  const place = await openPlace(stack, 'redis', servers);
  const store = await openStore({ databaseUrl: place.databaseUrl, logger: silentLogger, poolSize: 4 });
  stack.defer(() => store.close());
  const queue = await createQueue({ ...place, logger: silentLogger });
  stack.defer(() => queue.close());
  const talk = new Talk(Array.from({ length: chats }, (_, index) => `intake-${index}`));
  const intake = { store, queue, times: new JourneyTimes() };
  await flood(talk.next(intakeMessages), intake);
  const before = process.cpuUsage();
  await flood(talk.next(intakeMessages), intake);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / intakeMessages;
}

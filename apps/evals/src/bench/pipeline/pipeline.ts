import { defaultConfig, type IncomingUpdate } from '@palimpsest/core';
import { quantiles, rounded, type BenchSizes, type Figures, type QueueBackend } from '../figures.ts';
import type { BenchInput } from '../bench-input.ts';
import { openPlace, type QueuePlace } from './open-world.ts';
import { measureRawQueue } from './raw-queue.ts';
import { flood, messagesOf, pace, type Intake } from './traffic.ts';
import { openWarmWorld, untilAllStored } from './warm-world.ts';

/** The paced run need not be longer for its p99 to stand. */
const pacedSeconds = 30;

/**
 * The whole way from the commit of a message to the commit of its reply, with a model that answers at once.
 *
 * Per backend: a flood (messages a second), then a paced run (waits), then plain BullMQ on the same server.
 */
export async function benchPipeline(input: BenchInput): Promise<Figures> {
  const redis = await input.services.redis();
  const databaseUrl = await input.services.databaseUrl();
  const servers = { databaseUrl, redisUrl: redis.url };
  const missing: Figures = redis.url === null ? { redis_left_out: redis.words } : {};
  const figures: Figures = {
    ...missing,
    sessions: input.sizes.sessions,
    messages: input.sizes.sessions * input.sizes.messages,
  };
  for (const backend of input.sizes.queues) {
    if (backend === 'redis' && redis.url === null) continue;
    Object.assign(figures, await measure(input, backend, servers));
  }
  return figures;
}

async function measure(
  input: BenchInput,
  backend: QueueBackend,
  servers: { databaseUrl: string; redisUrl: string | null },
): Promise<Figures> {
  const { sizes, progress } = input;
  await using stack = new AsyncDisposableStack();
  progress(`pipeline on ${backend}: flood …`);
  const flooded = await floodRun(await openPlace(stack, backend, servers), sizes, input.signal);
  progress(`pipeline on ${backend}: ${sizes.perSecond} messages a second …`);
  const paced = await pacedRun(await openPlace(stack, backend, servers), sizes, input.signal);
  progress(`pipeline on ${backend}: plain BullMQ …`);
  const raw = await measureRawQueue(await openPlace(stack, backend, servers), {
    jobs: pacedMessages(sizes),
    perSecond: sizes.perSecond,
    concurrency: defaultConfig().worker.concurrency,
  });
  return { ...prefixed(backend, { ...flooded, ...paced }), ...raw };
}

async function floodRun(place: QueuePlace, sizes: BenchSizes, signal: AbortSignal): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  return await floodThrough(await openWarmWorld(stack, place, signal), messagesOf(sizes), signal);
}

/** All of these at once through a warm world: messages a second. */
export async function floodThrough(
  intake: Intake,
  updates: readonly IncomingUpdate[],
  signal: AbortSignal,
): Promise<Figures> {
  const { times } = intake;
  times.begin(updates.length);
  const startedAt = performance.now();
  await flood(updates, intake);
  const intakeMs = performance.now() - startedAt;
  await untilAllStored(times, updates.length, signal);
  const wallMs = times.lastReplyAt() - startedAt;
  return {
    messages_per_s: rounded((updates.length * 1000) / wallMs),
    intake_messages_per_s: rounded((updates.length * 1000) / intakeMs),
    turns_per_s: rounded((times.turns * 1000) / wallMs),
    failed_wakes: times.failedWakes,
    refused_intakes: times.refusedIntakes,
  };
}

async function pacedRun(place: QueuePlace, sizes: BenchSizes, signal: AbortSignal): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const updates = messagesOf(sizes).slice(0, pacedMessages(sizes));
  const intake = await openWarmWorld(stack, place, signal);
  return await paceThrough(intake, updates, { perSecond: sizes.perSecond, signal });
}

/** One after the other by the clock through a warm world: how long each waited. */
export async function paceThrough(
  intake: Intake,
  updates: readonly IncomingUpdate[],
  { perSecond, signal }: { perSecond: number; signal: AbortSignal },
): Promise<Figures> {
  const { times } = intake;
  times.begin(updates.length);
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await pace(updates, perSecond, intake);
  await untilAllStored(times, updates.length, signal);
  const { user, system } = process.cpuUsage(before);
  return {
    paced_messages_per_s: rounded((updates.length * 1000) / (performance.now() - startedAt)),
    paced_cpu_ms_per_message: rounded((user + system) / 1000 / updates.length),
    paced_failed_wakes: times.failedWakes,
    paced_refused_intakes: times.refusedIntakes,
    ...quantiles('claim', times.toClaim(), [0.5, 0.99]),
    ...quantiles('reply', times.toReply(), [0.5, 0.99]),
  };
}

export function pacedMessages(sizes: BenchSizes): number {
  return Math.min(sizes.sessions * sizes.messages, sizes.perSecond * pacedSeconds);
}

export function prefixed(prefix: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([key, value]) => [`${prefix}_${key}`, value]));
}

/** How much the service takes on this machine, what a message costs, and whether its memory grows. */
import type { BenchInput } from '../bench-input.ts';
import type { Figures, QueueBackend } from '../figures.ts';
import { openPlace } from '../pipeline/open-world.ts';
import { openWarmWorld } from '../pipeline/warm-world.ts';
import { findKnee } from './find-knee.ts';
import { benchLarge } from './large.ts';
import { measureMemory } from './memory-slope.ts';
import { findServers } from './process-times.ts';
import { figuresOfStep, runStep, type LoadedWorld } from './run-step.ts';
import { Talk } from './talk.ts';

const firstRate = 25;
/** The memory run is a steady load far below the knee. */
const memoryShare = 0.5;
const mostMemoryRate = 50;
const memorySessions = 1_000;

/**
 * Per queue: steps to the knee, each with its latency and the costs of a message. Then, on the first queue, memory over
 * `minutes`; and with `rows` the same turns beside a small and a large database. The model answers at once.
 */
export async function benchLoad(input: BenchInput): Promise<Figures> {
  const redis = await input.services.redis();
  const figures: Figures = redis.url === null ? { redis_left_out: redis.words } : {};
  const queues = input.sizes.queues.filter((backend) => backend !== 'redis' || redis.url !== null);
  for (const backend of queues) {
    const isFirst = backend === queues[0];
    Object.assign(figures, await loadQueue(input, backend, isFirst ? input.sizes.minutes : 0));
  }
  const { rows } = input.sizes;
  return rows === 0 ? figures : { ...figures, ...(await benchLarge(input, queues[0]!, rows)) };
}

async function loadQueue(input: BenchInput, backend: QueueBackend, minutes: number): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const world = await openLoadedWorld(stack, input, backend);
  const { sessions, seconds } = input.sizes;
  const talk = new Talk(Array.from({ length: sessions }, (_, index) => `chat-${index}`));
  const figures: Figures = {};
  const knee = await findKnee(firstRate, async (perSecond) => {
    input.progress(`load on ${backend}: ${perSecond} messages a second …`);
    const result = await runStep(world, { perSecond, updates: talk.next(perSecond * seconds) }, input.signal);
    Object.assign(figures, figuresOfStep(`${backend}_at_${perSecond}`, result));
    return result.keepsUp;
  });
  Object.assign(figures, { [`${backend}_knee_messages_per_s`]: knee });
  if (minutes === 0) return figures;
  const perSecond = Math.max(1, Math.min(mostMemoryRate, Math.floor(knee * memoryShare)));
  const steady = new Talk(Array.from({ length: memorySessions }, (_, index) => `steady-${index}`));
  return { ...figures, ...(await measureMemory(world, steady, { ...input, minutes, perSecond })) };
}

/** The service in this process with a queue on that backend, warmed up, and where its servers' processes are. */
export async function openLoadedWorld(
  stack: AsyncDisposableStack,
  input: Pick<BenchInput, 'services' | 'signal'>,
  backend: QueueBackend,
): Promise<LoadedWorld> {
  const redis = await input.services.redis();
  const databaseUrl = await input.services.databaseUrl();
  const place = await openPlace(stack, backend, { databaseUrl, redisUrl: redis.url });
  const redisUrl = place.redisUrl ?? null;
  const intake = await openWarmWorld(stack, place, input.signal);
  const servers = await findServers(place.databaseUrl, redisUrl);
  return { intake, databaseUrl: place.databaseUrl, redisUrl, servers };
}

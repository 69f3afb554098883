import { GatewayError } from '@palimpsest/core';
import type { Logger, MaintenanceTask, Queue, Stoppable } from '@palimpsest/core';

import type { Backend } from './backend.ts';
import { consume } from './consume.ts';
import {
  coalescingId,
  deliveriesQueue,
  maintenanceQueue,
  mediaQueue,
  readMaintenanceJob,
  readSessionJob,
  turnsQueue,
} from './job-data.ts';
import { openPostgresBackend } from './postgres-backend.ts';
import { createProducer } from './producer.ts';
import type { Producer } from './producer.ts';
import { openRedisBackend } from './redis-backend.ts';

export interface CreateQueueOptions {
  /** Redis when given, else BullMQ's Postgres backend on `databaseUrl`. */
  redisUrl?: string;
  databaseUrl: string;
  logger: Logger;
  /** Namespace: key prefix in Redis, schema in Postgres. Letters, digits and '_'. */
  prefix?: string;
  /** A job whose worker renews nothing for this long is taken over. */
  lockMs?: number;
  /** How often such jobs are looked for. */
  stalledMs?: number;
}

/** A repeated connection error is logged again after this. */
const repeatLogMs = 30_000;
/** Jobs that nobody waits for run after the urgent ones (priority 0). */
const backgroundPriority = 10;

/**
 * The queue behind one factory. Comes back also when the server is unreachable: producers then fail with
 * `queue_unavailable`, workers wait, and both recover by themselves.
 */
export async function createQueue(options: CreateQueueOptions): Promise<Queue> {
  const { logger, lockMs = 60_000, stalledMs = 30_000 } = options;
  const backend = await openBackend(options);
  const producer = createProducer(backend);
  const names = new Set([turnsQueue, maintenanceQueue]);
  const { work, stopAll } = openCrew(backend, { logger, lockMs, stalledMs });
  const ofAccount = (name: string): string => noted(names, name);

  return {
    backend: backend.kind,
    async wake(sessionId, { pastRunning } = {}) {
      await producer.add(turnsQueue, { id: coalescingId(sessionId), data: { sessionId }, pastRunning });
    },
    async deliver(account) {
      await producer.add(ofAccount(deliveriesQueue(account)), { id: 'deliver', data: {} });
    },
    async fetchMedia(account) {
      await producer.add(ofAccount(mediaQueue(account)), { id: 'fetch', data: {} });
    },
    maintain: (task) => addMaintenance(producer, task),
    workTurns: (handler, concurrency) =>
      work(turnsQueue, concurrency, (data, signal) =>
        handler(known(readSessionJob(data), turnsQueue), signal),
      ),
    workDeliveries: (account, handler) => work(ofAccount(deliveriesQueue(account)), 1, () => handler()),
    workMedia: (account, handler) => work(ofAccount(mediaQueue(account)), 1, () => handler()),
    workMaintenance: (handler, concurrency) =>
      work(maintenanceQueue, concurrency, (data, signal) =>
        handler(known(readMaintenanceJob(data), maintenanceQueue), signal),
      ),
    async ping() {
      await producer.counts(turnsQueue);
    },
    counts: () => allCounts(producer, [...names]),
    boards: (of) =>
      Promise.all(
        [turnsQueue, maintenanceQueue, ...of.map(deliveriesQueue)].map((name) => producer.opened(name)),
      ),
    async close() {
      await stopAll();
      await producer.close();
      await backend.close();
    },
  };
}

/** Starts workers, and knows those that still run. */
function openCrew(
  backend: Backend,
  { logger, ...timing }: { logger: Logger; lockMs: number; stalledMs: number },
) {
  const workers = new Set<Stoppable>();
  async function work(
    queue: string,
    concurrency: number,
    handle: (data: unknown, signal: AbortSignal) => Promise<void>,
  ): Promise<Stoppable> {
    const worker = await consume(backend, queue, { timing: { ...timing, concurrency }, logger, handle });
    workers.add(worker);
    return {
      async stop(deadlineMs) {
        workers.delete(worker);
        await worker.stop(deadlineMs);
      },
    };
  }
  const stopAll = () => Promise.allSettled([...workers].map((worker) => worker.stop(0)));
  return { work, stopAll };
}

/** The queue's jobs are counted from now on. */
function noted(names: Set<string>, name: string): string {
  names.add(name);
  return name;
}

/** Redis when its address is given, else Postgres. */
export async function openBackend(options: CreateQueueOptions): Promise<Backend> {
  const onError = quietly(options.logger);
  const prefix = options.prefix ?? 'palimpsest_queue';
  if (!options.redisUrl) return openPostgresBackend({ url: options.databaseUrl, schema: prefix, onError });
  return openRedisBackend({ url: options.redisUrl, prefix, firstConnectionMs: 2000, onError });
}

/** One waiting task a kind and session; an urgent one makes the waiting one urgent. */
async function addMaintenance(producer: Producer, task: MaintenanceTask): Promise<void> {
  const { kind, sessionId, urgent } = task;
  const priority = urgent ? 0 : backgroundPriority;
  const job = await producer.add(maintenanceQueue, {
    id: coalescingId(`${kind} ${sessionId}`),
    data: { kind, sessionId, urgent },
    priority,
  });
  if (!urgent || (await job.getState().catch(() => 'unknown')) !== 'prioritized') return;
  // Between the look and the change the job may have begun: then it runs already, which is all we want.
  await job.updateData({ kind, sessionId, urgent }).catch(() => undefined);
  await job.changePriority({ priority: 0 }).catch(() => undefined);
}

function known<T>(value: T | null, queue: string): T {
  if (value === null)
    throw new GatewayError('input_invalid', `a job of queue ${queue} has unknown data; it is dropped`);
  return value;
}

async function allCounts(producer: Producer, queues: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const queue of queues) {
    for (const [state, count] of Object.entries(await producer.counts(queue)))
      counts[`${queue}.${state}`] = count;
  }
  return counts;
}

/** Log the first connection error of a queue and repeats at most every half minute: an outage makes one a second. */
function quietly(logger: Logger): (queue: string, error: unknown) => void {
  const loggedAt = new Map<string, number>();
  return (queue, error) => {
    const now = performance.now();
    if (now - (loggedAt.get(queue) ?? -Infinity) < repeatLogMs) return;
    loggedAt.set(queue, now);
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const name = error instanceof Error ? error.name : typeof error;
    logger.warn({ queue, error: name, code }, 'the queue reports an error; it goes on by itself');
  };
}

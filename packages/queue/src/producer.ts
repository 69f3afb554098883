import { randomUUID } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import { GatewayError } from '@palimpsest/core';

import type { Backend, JobData, JobQueue, QueueJob } from './backend.ts';
import { within } from './deadline.ts';
import { limitConcurrency } from './limit-concurrency.ts';

/** Everything a producer does answers within this; people's messages are stored before, so failing fast costs nothing. */
const answerMs = 2000;

/**
 * Additions under way at once. On Postgres all go through one connection, and a flood of hundreds would run into the
 * time limit above: it waits here instead.
 */
const additionsAtOnce = { redis: 200, postgres: 8 } as const;

/** States in which a job will still run (or runs). */
const liveStates = new Set<string>([
  'waiting',
  'active',
  'delayed',
  'prioritized',
  'waiting-children',
  'paused',
]);

export interface CoalescedJob {
  /** Jobs of one id are one: while one waits nothing is added, while one runs exactly one more follows. */
  id: string;
  data: JobData;
  /** 0 runs before everything else, then 1 … 2,097,152. */
  priority?: number;
  /** A job that runs is not waited for: its process is gone, whatever its lock says. */
  pastRunning?: boolean;
}

/** The adding half: opens queues when needed, fails fast with `queue_unavailable`, and heals by itself. */
export interface Producer {
  add(queue: string, job: CoalescedJob): Promise<QueueJob>;
  counts(queue: string): Promise<Record<string, number>>;
  /** The queue itself, for reading. */
  opened(queue: string): Promise<JobQueue>;
  close(): Promise<void>;
}

export function createProducer(backend: Backend): Producer {
  const opened = new Map<string, Promise<JobQueue>>();
  const inTurn = limitConcurrency(additionsAtOnce[backend.kind]);

  function open(name: string): Promise<JobQueue> {
    const known = opened.get(name);
    if (known) return known;
    const opening = backend.openQueue(name);
    opening.catch(() => drop(name, opening));
    opened.set(name, opening);
    return opening;
  }

  // BullMQ remembers a failed start for ever, so a queue that failed is made anew.
  function drop(name: string, queue: Promise<JobQueue>): void {
    if (opened.get(name) !== queue) return;
    opened.delete(name);
    queue.then((old) => old.close()).catch(() => undefined);
  }

  async function once<T>(name: string, work: (queue: JobQueue) => Promise<T>, waitMs: number): Promise<T> {
    if (!backend.isReachable()) throw unavailable(backend, name, 'not connected');
    const queue = open(name);
    try {
      return await within(queue.then(work), waitMs);
    } catch (error) {
      drop(name, queue);
      throw unavailable(backend, name, error);
    }
  }

  // All work here may be repeated. The first command after a restart of the server meets a dead connection.
  async function twice<T>(name: string, work: (queue: JobQueue) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await once(name, work, answerMs);
    } catch (error) {
      const leftMs = answerMs - (performance.now() - startedAt);
      if (leftMs < 100 || !backend.isReachable()) throw error;
      return once(name, work, leftMs);
    }
  }

  return {
    add: (name, job) => inTurn(() => twice(name, (queue) => addCoalesced(queue, job))),
    counts: (name) => twice(name, (queue) => queue.getJobCounts()),
    opened: (name) => twice(name, async (queue) => queue),
    async close() {
      const queues = [...opened.values()];
      opened.clear();
      await Promise.allSettled(queues.map(async (queue) => within((await queue).close(), answerMs)));
    },
  };
}

/**
 * Add, then look at the job that stands for the id, if it is another one. After an outage the deduplication key may name a job that will
 * never run again, and every later add would be swallowed (github.com/taskforcesh/bullmq/issues/4311; 6.7.0 heals
 * only when that job is gone entirely): then the key is removed and the job added. The same for a job whose process is
 * gone: on Postgres the lock ends by the clock of that process, and by it dead jobs are looked for as well, so one that
 * was ahead keeps them for as long as it was ahead.
 */
async function addCoalesced(queue: JobQueue, job: CoalescedJob): Promise<QueueJob> {
  const jobId = randomUUID();
  const options: JobsOptions = {
    jobId,
    deduplication: { id: job.id, keepLastIfActive: true },
    priority: job.priority ?? 0,
    attempts: 1,
    removeOnComplete: { count: 50 },
    removeOnFail: { count: 200, age: 86_400 },
  };
  const added = await queue.add(queue.name, job.data, options);
  // No other job stood for the id.
  if (added.id === jobId) return added;
  const state = await added.getState();
  if (liveStates.has(state) && !(job.pastRunning && state === 'active')) return added;
  // Ours may have run already: then the key is gone or names a newer job, and nothing is removed.
  if (!(await added.removeDeduplicationKey())) return added;
  return queue.add(queue.name, job.data, options);
}

function unavailable(backend: Backend, name: string, cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  const seen = cause instanceof Error ? (errorCode(cause) ?? cause.message) : String(cause);
  const variable = backend.kind === 'redis' ? 'REDIS_URL' : 'DATABASE_URL';
  const what = backend.kind === 'redis' ? 'Redis' : 'Postgres';
  return new GatewayError(
    'queue_unavailable',
    `queue ${name} is unreachable: ${backend.problem?.() ?? seen}; check that ${what} runs and that ${variable} names it`,
    {
      retryable: true,
      cause,
    },
  );
}

function errorCode(error: Error): string | null {
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}

import type { EventEmitter } from 'node:events';

import { createPostgresBackend, withBackend } from 'bullmq';
import type { PostgresConnectionOptions, PostgresQueueBackend } from 'bullmq';

import type { Backend, JobData, JobQueue, JobWorker, OnConnectionError } from './backend.ts';
import { maxStalledCount, runRetryMs } from './backend.ts';

/**
 * BullMQ's tables in a schema of their own in the given database. One connection a queue or worker: with BullMQ's
 * default pool of 10 the promotion of delayed jobs deadlocks and fails jobs wrongly (measured).
 */
export function openPostgresBackend(options: {
  url: string;
  schema: string;
  onError: OnConnectionError;
}): Backend {
  const { onError } = options;
  const bull = withBackend<PostgresQueueBackend, PostgresConnectionOptions>(createPostgresBackend);
  const connection = {
    connectionString: options.url,
    schema: options.schema,
    migrate: true,
    max: 1,
    connectionTimeoutMillis: 2000,
    keepAlive: true,
    // BullMQ takes connections out of its pool (to migrate) without listening to their errors; one that breaks then
    // would end the process. Whoever waits for its statement gets the error anyway.
    onConnect: (client: EventEmitter) => void client.on('error', () => undefined),
  };

  /** BullMQ's worker with a way out that does not wait for a handler that never ends. */
  class PostgresWorker extends bull.Worker<JobData, void, string> {
    async abandon(): Promise<void> {
      await this.lockManager.close();
      await this.disconnect();
    }
  }

  return {
    kind: 'postgres',
    // A pool does not know; the attempt shows it.
    isReachable: () => true,
    async openQueue(name): Promise<JobQueue> {
      const queue = new bull.Queue<JobData, void, string>(name, { connection });
      queue.on('error', (error) => onError(name, error));
      try {
        await queue.waitUntilReady();
      } catch (error) {
        void queue.close().catch(() => undefined);
        throw error;
      }
      return queue;
    },
    openWorker(name, process, timing): JobWorker {
      const worker = new PostgresWorker(name, process, {
        connection,
        concurrency: timing.concurrency,
        lockDuration: timing.lockMs,
        stalledInterval: timing.stalledMs,
        maxStalledCount,
        runRetryDelay: runRetryMs,
      });
      worker.on('error', (error) => onError(name, error));
      return worker;
    },
    async close() {},
  };
}

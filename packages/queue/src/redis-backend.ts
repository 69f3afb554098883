import { Queue as BullQueue, Worker } from 'bullmq';
import { Redis } from 'ioredis';

import type {
  Backend,
  JobData,
  JobQueue,
  JobWorker,
  OnConnectionError,
  QueueJob,
  WorkerTiming,
} from './backend.ts';
import { maxStalledCount, runRetryMs } from './backend.ts';

/** Reconnect quickly at first, then every 2 s: an outage ends within 2 s of the server's return. */
function reconnectDelayMs(times: number): number {
  return Math.min(100 * 2 ** Math.min(times, 5), 2000);
}

/**
 * Producers share one connection that refuses commands while it is down; workers own connections that wait for the
 * server without end.
 */
export async function openRedisBackend(options: {
  url: string;
  prefix: string;
  /** How long to wait for the first connection; then the backend is there, unreachable. */
  firstConnectionMs: number;
  onError: OnConnectionError;
}): Promise<Backend> {
  const { url, prefix, onError } = options;
  const producer = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    // A command that was on its way when the connection broke fails now rather than acting after the outage.
    autoResendUnfulfilledCommands: false,
    connectTimeout: 2000,
    retryStrategy: reconnectDelayMs,
  });
  producer.on('error', (error: unknown) => onError('producers', error));
  producer.setMaxListeners(0);
  await firstConnection(producer, options.firstConnectionMs);

  return {
    kind: 'redis',
    isReachable: () => producer.status === 'ready',
    async openQueue(name): Promise<JobQueue> {
      const queue = new BullQueue<JobData, void, string>(name, { connection: producer, prefix });
      queue.on('error', (error) => onError(name, error));
      await queue.waitUntilReady();
      return queue;
    },
    openWorker: (name, process, timing) => openWorker(name, process, { url, prefix, timing, onError }),
    async close() {
      producer.disconnect();
    },
  };
}

function firstConnection(client: Redis, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (client.status === 'ready') return resolve();
    const timer = setTimeout(done, waitMs);
    function done(): void {
      clearTimeout(timer);
      client.off('ready', done);
      resolve();
    }
    client.once('ready', done);
  });
}

/** BullMQ's worker with a way out that does not wait for a handler that never ends. */
class RedisWorker extends Worker<JobData, void, string> {
  async abandon(): Promise<void> {
    await this.lockManager.close();
    await this.disconnect();
  }
}

function openWorker(
  name: string,
  process: (job: QueueJob) => Promise<void>,
  options: { url: string; prefix: string; timing: WorkerTiming; onError: OnConnectionError },
): JobWorker {
  const worker = new RedisWorker(name, process, {
    connection: { url: options.url, maxRetriesPerRequest: null, retryStrategy: reconnectDelayMs },
    prefix: options.prefix,
    concurrency: options.timing.concurrency,
    lockDuration: options.timing.lockMs,
    stalledInterval: options.timing.stalledMs,
    maxStalledCount,
    runRetryDelay: runRetryMs,
  });
  worker.on('error', (error) => options.onError(name, error));
  return worker;
}

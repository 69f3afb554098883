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
  const health = watchHealth(producer, url);
  producer.on('error', (error: unknown) => onError('producers', error));
  producer.setMaxListeners(0);
  await firstConnection(producer, options.firstConnectionMs);

  return {
    kind: 'redis',
    isReachable: () => producer.status === 'ready' && !health.refused(),
    problem: health.problem,
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

interface Health {
  /** The server answers and does not let us in: a wrong password or database number. */
  refused(): boolean;
  problem(): string | null;
}

/**
 * Remembers why the last connection failed. ioredis goes on with database 0 when the one of the address is refused;
 * that must count as unreachable, or two installations would meet there.
 */
function watchHealth(client: Redis, url: string): Health {
  const { hostname, port } = new URL(url);
  const where = `Redis at ${hostname}:${port || 6379}`;
  let refusal: string | null = null;
  let failure: string | null = null;
  client.on('connect', () => {
    refusal = null;
  });
  client.on('error', (error: Error & { code?: string }) => {
    if (error.name === 'ReplyError') refusal = error.message;
    else failure = error.code ?? error.message;
  });
  client.on('ready', () => {
    failure = null;
  });
  return {
    refused: () => refusal !== null,
    problem() {
      if (refusal !== null) return `${where} refuses the connection (${refusal})`;
      return failure === null ? null : `${where} does not answer (${failure})`;
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

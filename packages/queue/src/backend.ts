import type { EventEmitter } from 'node:events';

import type { Job, Queue as BullQueue } from 'bullmq';

/** Data of our jobs on the wire; readers check it again. */
export type JobData = Record<string, unknown>;
export type QueueJob = Job<JobData, void, string>;

/** The part of a BullMQ queue we use; the same on both backends. */
export type JobQueue = Pick<
  BullQueue<JobData, void, string>,
  'name' | 'add' | 'getJob' | 'getJobCounts' | 'close'
>;

/** The part of a BullMQ worker we use. */
export interface JobWorker extends EventEmitter {
  /** Stops fetching, then waits for running jobs. */
  close(): Promise<void>;
  /** Ends lock renewal and connections without waiting for running jobs. */
  abandon(): Promise<void>;
  waitUntilReady(): Promise<unknown>;
}

export interface WorkerTiming {
  concurrency: number;
  /** A worker that renews nothing for this long has lost its jobs. */
  lockMs: number;
  stalledMs: number;
}

/** Opens BullMQ objects on Redis or on Postgres. */
export interface Backend {
  readonly kind: 'redis' | 'postgres';
  /** False: known to be unreachable now, so that callers fail at once. */
  isReachable(): boolean;
  /** What is known of an outage: address and cause, for a message; no password. */
  problem?(): string | null;
  /** Ready to add; throws when it cannot be reached. */
  openQueue(name: string): Promise<JobQueue>;
  openWorker(name: string, process: (job: QueueJob) => Promise<void>, timing: WorkerTiming): JobWorker;
  close(): Promise<void>;
}

/** Connection errors come as events; without a listener they would end the process. */
export type OnConnectionError = (queue: string, error: unknown) => void;

/** Jobs that recover from a dead worker this often, then count as failed; the sweeper wakes the session again. */
export const maxStalledCount = 2;
/** Wait of a worker after a broken fetch. BullMQ's 15 s would leave people waiting after a short outage. */
export const runRetryMs = 1000;

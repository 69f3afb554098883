import type { Logger, Stoppable } from '@palimpsest/core';

import type { Backend, JobWorker, QueueJob, WorkerTiming } from './backend.ts';
import { settledWithin } from './deadline.ts';

/** After the signal fired at a stop, handlers get this long to come to an end. */
const graceMs = 1000;

/**
 * Run jobs of one queue. A handler that throws ends its job: nothing is retried here, the sweeper finds what is left.
 * The handler's signal fires when the job's lock is lost or when a stop's deadline has passed.
 */
export async function consume(
  backend: Backend,
  queue: string,
  options: {
    timing: WorkerTiming;
    logger: Logger;
    handle: (data: unknown, signal: AbortSignal) => Promise<void>;
  },
): Promise<Stoppable> {
  const { logger, timing } = options;
  const running = new Map<string, AbortController>();

  async function process(job: QueueJob): Promise<void> {
    const controller = new AbortController();
    running.set(job.id ?? '', controller);
    try {
      await options.handle(job.data, controller.signal);
    } finally {
      running.delete(job.id ?? '');
    }
  }

  const worker = backend.openWorker(queue, process, timing);
  worker.on('lockRenewalFailed', (jobIds: readonly string[]) => {
    for (const id of jobIds) running.get(id)?.abort(new Error(`the lock of job ${id} was lost`));
  });
  worker.on('failed', (job: QueueJob | undefined, error: Error) => {
    logger.warn(
      { queue, jobId: job?.id, error: error.name, code: codeOf(error) },
      'a job failed; the sweeper wakes its session again',
    );
  });
  // Redis workers wait for the server by themselves, however long; BullMQ's Postgres worker remembers a failed start.
  if (backend.kind === 'postgres') await readyOrClosed(worker);

  return {
    async stop(deadlineMs) {
      const closed = worker.close();
      closed.catch(() => undefined);
      if (await settledWithin(closed, deadlineMs)) return;
      for (const controller of running.values()) controller.abort(new Error('the worker is stopping'));
      if (await settledWithin(closed, graceMs)) return;
      logger.warn({ queue, jobs: running.size }, 'handlers did not end in time; their jobs are given up');
      await settledWithin(worker.abandon(), graceMs);
    },
  };
}

/** A worker whose start failed never runs; the caller makes another one. */
async function readyOrClosed(worker: JobWorker): Promise<void> {
  try {
    await worker.waitUntilReady();
  } catch (error) {
    void worker.close().catch(() => undefined);
    throw error;
  }
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

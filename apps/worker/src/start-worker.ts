import type { Store } from '@palimpsest/core';
import { drainSession, prepareCompaction, type TurnDeps } from '@palimpsest/turn';
import type { WorkerQueue } from './worker-queue.ts';
import { runSweeper } from './run-sweeper.ts';

/** What the worker needs beside the main path; it holds model keys and no bot token. */
export interface WorkerDeps extends TurnDeps {
  store: TurnDeps['store'] & Pick<Store, 'sweep' | 'leases'>;
  queue: WorkerQueue;
}

export interface Worker {
  /** Take no new session, put running turns back, leave within about `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>;
}

/** Preparations at once: each is one slow model call, and turns come first. */
const preparationsAtOnce = 4;

/** Turns, maintenance and the sweeper of one process. */
export async function startWorker(deps: WorkerDeps): Promise<Worker> {
  const stopping = new AbortController();
  const turns = await deps.queue.workTurns(async (sessionId, lost) => {
    const end = await drainSession(deps, sessionId, AbortSignal.any([lost, stopping.signal]));
    if (end === 'unknown_session') deps.logger.warn({ sessionId }, 'wake-up for a session that does not exist; ignored');
  }, deps.config.worker.concurrency);
  const maintenance = await deps.queue.workMaintenance(
    (task, lost) => prepareCompaction(deps, task, AbortSignal.any([lost, stopping.signal])),
    preparationsAtOnce,
  );
  const sweeping = runSweeper(deps, stopping.signal);
  return {
    async stop(deadlineMs) {
      stopping.abort('shutdown');
      await Promise.allSettled([turns.stop(deadlineMs), maintenance.stop(deadlineMs), sweeping]);
    },
  };
}

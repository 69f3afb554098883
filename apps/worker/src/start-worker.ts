import { drainSession, PersonSeats, runMaintenance } from '@palimpsest/turn';
import type { WorkerDeps } from './deps.ts';
import { runSweeper } from './run-sweeper.ts';

export interface Worker {
  /** Take no new session, put running turns back, leave within about `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>;
}

/** Preparations at once: each is one slow model call, and turns come first. */
const preparationsAtOnce = 4;

/** Turns, maintenance and the sweeper of one process. */
export async function startWorker(deps: WorkerDeps): Promise<Worker> {
  const stopping = new AbortController();
  const seats = new PersonSeats(deps.config.worker.max_turns_per_person, (sessionId) =>
    wake(deps, sessionId),
  );
  // The queue's own lock may be lost with an emptied Redis: the session's lease alone says who may go on with a turn.
  const turns = await deps.queue.workTurns(async (sessionId) => {
    const end = await drainSession({ ...deps, seats }, sessionId, stopping.signal);
    if (end === 'unknown_session')
      deps.logger.warn({ sessionId }, 'wake-up for a session that does not exist; ignored');
  }, deps.config.worker.concurrency);
  const maintenance = await deps.queue.workMaintenance(
    (task, lost) => runMaintenance(deps, task, AbortSignal.any([lost, stopping.signal])),
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

function wake({ queue, logger }: WorkerDeps, sessionId: string): void {
  queue
    .wake(sessionId)
    .catch(() => logger.warn({ sessionId }, 'wake-up not queued; the sweeper will find the message'));
}

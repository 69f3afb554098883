import type { WorkerDeps } from './deps.ts';
import { WaitingRounds } from './waiting-rounds.ts';

/** Sessions woken in one round; the rest follows in the next. */
const batch = 500;
/** Idle and owing sessions in one round: each may be a model call, and nobody waits for it. */
const idleAtOnce = 50;
/** Rows whose words are indexed anew in one round after an update: about a second of work. */
const reindexedAtOnce = 1_000;
const retireEveryMs = 3_600_000;

/**
 * Finds what lost its wake-up: rows and signals waiting without a holder, turns of dead workers, replies that are
 * due. A timer and not a job, so that it works when the queue is empty, wiped or away. One process does it at a time.
 */
export async function runSweeper(deps: WorkerDeps, signal: AbortSignal): Promise<void> {
  const everyMs = deps.config.worker.sweep_seconds * 1000;
  const rounds = new WaitingRounds();
  let retiredAt = 0;
  while (!signal.aborted) {
    try {
      if (await deps.store.leases.acquire('sweeper', deps.owner, everyMs * 3)) {
        await sweep(deps, rounds);
        const now = deps.clock.now().getTime();
        if (now - retiredAt > retireEveryMs) {
          retiredAt = now;
          await retire(deps);
        }
      }
    } catch (thrown) {
      const problem = thrown instanceof Error ? thrown.message : String(thrown);
      deps.logger.warn({ problem }, 'sweep failed; trying again');
    }
    await deps.clock.sleep(everyMs, signal);
  }
  await deps.store.leases.release('sweeper', deps.owner).catch(() => {});
}

async function sweep(deps: WorkerDeps, rounds: WaitingRounds): Promise<void> {
  const sessions = await deps.store.sweep.sessionsToWake(batch);
  const stuck = new Set(rounds.note(sessions));
  for (const sessionId of sessions) await deps.queue.wake(sessionId, { pastRunning: stuck.has(sessionId) });
  if (stuck.size > 0)
    deps.logger.warn(
      { sessions: stuck.size },
      'jobs of sessions without a holder lead nowhere; others are added',
    );
  if (sessions.length > 0)
    deps.meter.count('gateway_sweeper_rewakes_total', { cause: 'mailbox' }, sessions.length);
  const accounts = await deps.store.sweep.accountsToDeliver();
  for (const account of accounts) await deps.queue.deliver(account);
  if (accounts.length > 0)
    deps.meter.count('gateway_sweeper_rewakes_total', { cause: 'outbox' }, accounts.length);
  for (const account of await deps.store.sweep.accountsToFetch()) await deps.queue.fetchMedia(account);
  await condenseIdle(deps);
  for (const sessionId of await deps.store.lcm.dueDebts(idleAtOnce))
    await deps.queue.maintain({ kind: 'debt', sessionId, urgent: false });
  await closeOrphans(deps);
  const rows = await deps.store.sweep.reindexSearch(reindexedAtOnce);
  if (rows > 0) deps.logger.info({ rows }, 'rows indexed anew for the search');
}

/** Whoever began them counted nothing: an attempt is counted when it ends, and they end here. */
async function closeOrphans({ store, meter, logger }: WorkerDeps): Promise<void> {
  const orphans = await store.sweep.closeOrphans();
  for (const { layer, trigger } of orphans) {
    const end = { outcome: 'failed', reason: 'lease_lost' } as const;
    meter.count('gateway_compaction_attempts_total', { layer, trigger, ...end });
  }
  if (orphans.length > 0)
    logger.warn({ orphans: orphans.length }, 'compactions of dead holders closed as failed');
}

/** A lost job is added again at the next sweep: the session stays on the list until it was looked at. */
async function condenseIdle(deps: WorkerDeps): Promise<void> {
  const { enabled, idle_compact_after_seconds: seconds } = deps.config.compression;
  if (!enabled || seconds === 0) return;
  const sessions = await deps.store.sweep.idleSessions(seconds, idleAtOnce);
  for (const sessionId of sessions) await deps.queue.maintain({ kind: 'idle', sessionId, urgent: false });
}

async function retire(deps: WorkerDeps): Promise<void> {
  const {
    inbox_days: inbox,
    events_days: events,
    ledger_days: ledger,
    media_days: media,
  } = deps.config.retention;
  const rows = await deps.store.sweep.retire({ inbox, events, ledger, media });
  if (rows > 0) deps.logger.info({ rows }, 'old inbox, event and ledger rows and files retired');
}

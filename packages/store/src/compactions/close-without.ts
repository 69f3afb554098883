/** The end of an attempt that changed nothing. */
import type { Lease, NoPlan } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, type Executor, runOne, transaction, type Transaction } from '../database.ts';
import { withLease } from '../with-lease.ts';
import { writeEngineStates } from '../write-engine-state.ts';
import { messagesDeferred } from './messages-deferred.ts';
import { restAfterNone, writeRest } from './rest-session.ts';

export interface UnchangedAttempt {
  compactionId: number;
  result: NoPlan;
  /** Null for an attempt that held none. */
  lease: Lease | null;
}

/**
 * Close the ledger row; the session remembers the rest and the streaks, also after an attempt in the background that
 * held no lease: they are no rows of the transcript, and without them a broken summariser would be asked at every turn.
 * What the engine noted is stored where a lease is held. A row that is closed already stays as it is.
 * throws LeaseLost, PlanOutdated; then the row is still open, for the sweeper
 */
export async function closeWithout(db: Database, attempt: UnchangedAttempt): Promise<void> {
  const { compactionId, result, lease } = attempt;
  const close = async (tx: Transaction): Promise<void> => {
    const sessionId = await closeRow(tx, compactionId, result);
    if (sessionId === null) return;
    if (leavesRest(result)) await writeRest(tx, sessionId, restAfterNone(result));
    if (lease !== null && result.stateChange)
      await writeEngineStates(tx, { sessionId, compactionId: null }, [result.stateChange]);
  };
  await (lease === null ? transaction(db, close) : withLease(db, lease, close));
}

/** The session of the row, null when it was closed already. */
async function closeRow(executor: Executor, compactionId: number, result: NoPlan): Promise<string | null> {
  const closed = await runOne<{ session_id: string }>(
    executor,
    sql`UPDATE compactions SET outcome = ${result.outcome}, reason = ${result.reason}, summary_model = ${result.summaryModel},
        summary_calls = ${result.summaryCalls}::int, message = ${result.message}, messages_deferred = ${messagesDeferred}, finished_at = clock_timestamp(),
        duration_ms = least(extract(epoch FROM clock_timestamp() - started_at) * 1000, 2147483647)::int
      WHERE id = ${compactionId}::bigint AND outcome IS NULL RETURNING session_id`,
    'close_without',
  );
  return closed?.session_id ?? null;
}

function leavesRest({ outcome, reason, cooldownMs, holdRestMs }: NoPlan): boolean {
  if (reason === 'db_error') return false;
  return (
    outcome === 'failed' || outcome === 'ineffective' || cooldownMs !== undefined || holdRestMs !== undefined
  );
}

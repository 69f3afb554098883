/** The end of an attempt that changed nothing. */
import type { Lease, NoPlan } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, type Executor, run, type Transaction } from '../database.ts';
import { withLease } from '../with-lease.ts';

export interface UnchangedAttempt {
  compactionId: number;
  result: NoPlan;
  /** Null for an attempt that held none. */
  lease: Lease | null;
}

/**
 * Close the ledger row; with a lease the session remembers the rest and the streaks too. A row that is closed already
 * stays as it is. throws LeaseLost; then the row is still open, for the sweeper
 */
export async function closeWithout(db: Database, attempt: UnchangedAttempt): Promise<void> {
  const { compactionId, result, lease } = attempt;
  if (lease === null) return void (await closeRow(db, compactionId, result));
  await withLease(db, lease, async (tx) => {
    if (await closeRow(tx, compactionId, result)) await rememberRest(tx, lease.sessionId, result);
  });
}

async function closeRow(executor: Executor, compactionId: number, result: NoPlan): Promise<boolean> {
  const closed = await run(
    executor,
    sql`UPDATE compactions SET outcome = ${result.outcome}, reason = ${result.reason}, summary_model = ${result.summaryModel},
        summary_calls = ${result.summaryCalls}::int, message = ${result.message}, finished_at = clock_timestamp(),
        duration_ms = least(extract(epoch FROM clock_timestamp() - started_at) * 1000, 2147483647)::int
      WHERE id = ${compactionId}::bigint AND outcome IS NULL RETURNING id`,
    'close_without',
  );
  return closed.length > 0;
}

/**
 * A failure is a strike, and so is an abort that asks for a rest (the model failed, the history was kept); a result
 * refused for growth is a strike of the other kind. A rest never shortens a longer one.
 */
async function rememberRest(tx: Transaction, sessionId: string, result: NoPlan): Promise<void> {
  const { outcome, cooldownMs } = result;
  const failed = outcome === 'failed' || (outcome === 'aborted' && cooldownMs !== undefined);
  const ineffective = outcome === 'ineffective';
  if (!failed && !ineffective && cooldownMs === undefined) return;
  await run(
    tx,
    sql`UPDATE sessions SET failure_streak = failure_streak + ${failed ? 1 : 0}::int,
        ineffective_streak = ineffective_streak + ${ineffective ? 1 : 0}::int,
        cooldown_until = greatest(cooldown_until, now() + ${cooldownMs ?? null}::float8 * interval '1 ms'),
        cooldown_reason = CASE WHEN ${cooldownMs ?? null}::float8 IS NULL THEN cooldown_reason ELSE ${result.reason}::text END,
        updated_at = now()
      WHERE id = ${sessionId}`,
    'remember_rest',
  );
}

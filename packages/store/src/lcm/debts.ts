/** lcm_compaction_debt: one coalesced row a session, changed by whoever has read its revision. */
import type { LcmChange, LcmDebtEnd, LcmDebtRequest } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, type Executor, run, runOne, type Transaction } from '../database.ts';

/** With a round or a turn's end the request; with a plan the end, so that a plan that is never applied pays nothing. */
export async function writeDebt(
  tx: Transaction,
  sessionId: string,
  { debt, debtEnd }: Pick<LcmChange, 'debt' | 'debtEnd'>,
): Promise<void> {
  if (debtEnd !== undefined) await finishDebt(tx, sessionId, debtEnd);
  if (debt !== undefined) await requestDebt(tx, sessionId, debt);
}

/**
 * A request that finds one pending renews its figures; its earlier time and its rest after failures stand. Returns the
 * revision.
 */
export async function requestDebt(
  executor: Executor,
  sessionId: string,
  request: LcmDebtRequest,
): Promise<number> {
  const row = await runOne<{ revision: number }>(
    executor,
    sql`INSERT INTO lcm_compaction_debt AS d (session_id, pending, reason, requested_at, due_at, budget_tokens, current_tokens,
          projected_tokens, raw_tokens_outside_tail, threshold_tokens, threshold_source)
        VALUES (${sessionId}, true, ${request.reason}, clock_timestamp(),
          clock_timestamp() + ${request.dueInMs}::float8 * interval '1 ms', ${Math.round(request.budgetTokens)}::int,
          ${Math.round(request.currentTokens)}::int, ${Math.round(request.projectedTokens)}::int,
          ${Math.round(request.rawTokensOutsideTail)}::int, ${Math.round(request.thresholdTokens)}::int, ${request.thresholdSource})
        ON CONFLICT (session_id) DO UPDATE SET pending = true, reason = EXCLUDED.reason,
          requested_at = CASE WHEN d.pending THEN d.requested_at ELSE EXCLUDED.requested_at END,
          due_at = greatest(CASE WHEN d.pending THEN least(d.due_at, EXCLUDED.due_at) ELSE EXCLUDED.due_at END,
            d.next_attempt_after),
          budget_tokens = EXCLUDED.budget_tokens, current_tokens = EXCLUDED.current_tokens,
          projected_tokens = EXCLUDED.projected_tokens, raw_tokens_outside_tail = EXCLUDED.raw_tokens_outside_tail,
          threshold_tokens = EXCLUDED.threshold_tokens, threshold_source = EXCLUDED.threshold_source,
          resolution_reason = NULL, revision = d.revision + 1
        RETURNING revision`,
    'lcm_request_debt',
  );
  return row?.revision ?? 0;
}

/** Null when it is not pending or was changed since. One that runs already was left by a dead job. */
export async function startDebt(db: Database, sessionId: string, revision: number): Promise<number | null> {
  const row = await runOne<{ revision: number }>(
    db,
    sql`UPDATE lcm_compaction_debt SET running = true, started_at = clock_timestamp(), revision = revision + 1
        WHERE session_id = ${sessionId} AND revision = ${revision}::bigint AND pending
        RETURNING revision`,
    'lcm_start_debt',
  );
  return row?.revision ?? null;
}

/** False when the debt does not run under this revision. */
export async function finishDebt(
  executor: Executor,
  sessionId: string,
  ended: { revision: number; end: LcmDebtEnd },
): Promise<boolean> {
  const { end } = ended;
  const isPending = end.kind === 'pending';
  const rest = isPending ? end.retryInMs : null;
  const failures = isPending && end.isFailure ? 1 : 0;
  const row = await runOne<{ revision: number }>(
    executor,
    sql`UPDATE lcm_compaction_debt SET running = false, pending = ${isPending}::boolean, finished_at = clock_timestamp(),
          current_tokens = ${Math.round(end.currentTokens)}::int, last_failure = ${isPending ? end.lastFailure : null},
          retry_attempts = CASE WHEN ${isPending}::boolean THEN retry_attempts + ${failures}::int ELSE 0 END, resolution_reason = ${isPending ? null : end.resolutionReason},
          next_attempt_after = clock_timestamp() + ${rest}::float8 * interval '1 ms',
          due_at = clock_timestamp() + ${rest ?? 0}::float8 * interval '1 ms', revision = revision + 1
        WHERE session_id = ${sessionId} AND revision = ${ended.revision}::bigint AND running
        RETURNING revision`,
    'lcm_finish_debt',
  );
  return row !== null;
}

/** Its work cannot be done now: the sweeper need not ask before the rest is over. */
export async function restDebt(db: Database, sessionId: string, restMs: number): Promise<void> {
  await run(
    db,
    sql`UPDATE lcm_compaction_debt SET due_at = greatest(due_at, clock_timestamp() + ${restMs}::float8 * interval '1 ms'),
          revision = revision + 1
        WHERE session_id = ${sessionId} AND pending`,
    'lcm_rest_debt',
  );
}

/**
 * Longest due first; none for which a job is planning. One that runs while nobody holds the session was left by a dead worker; one of a session under
 * another engine waits until this one is entered again.
 */
export async function dueDebts(db: Database, limit: number): Promise<readonly string[]> {
  const rows = await run<{ session_id: string }>(
    db,
    sql`SELECT d.session_id FROM lcm_compaction_debt d JOIN sessions s ON s.id = d.session_id
        WHERE d.pending AND d.due_at <= clock_timestamp() AND s.closed_at IS NULL AND s.engine = 'lcm'
          AND (s.lease_until IS NULL OR s.lease_until <= clock_timestamp())
          AND (s.preparing_until IS NULL OR s.preparing_until <= clock_timestamp())
        ORDER BY d.due_at LIMIT ${limit}::int`,
    'lcm_due_debts',
  );
  return rows.map((row) => row.session_id);
}

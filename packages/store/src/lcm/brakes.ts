/** lcm_breaker and lcm_spend: brakes that all workers share. Each change is one statement; times are the database's. */
import type { LcmBreaker, LcmBreakerPolicy, LcmSpend, LcmSpendPolicy } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne } from '../database.ts';

interface BreakerRecord {
  provider: string;
  model: string;
  failures: number;
  open_until: Date | null;
}

interface SpendRecord {
  window_started_at: Date;
  calls: number;
  backoff_until: Date | null;
}

/** One more failure in a row; at the threshold no call goes to the model until the cooldown is over. */
export async function breakerFailed(
  db: Database,
  key: { provider: string; model: string },
  policy: LcmBreakerPolicy,
): Promise<LcmBreaker> {
  const row = await runOne<BreakerRecord>(
    db,
    // A cooldown that is over closes it by itself: the next failure is the first again.
    sql`INSERT INTO lcm_breaker AS b (provider, model, failures, open_until)
        VALUES (${key.provider}, ${key.model}, 1,
          CASE WHEN ${policy.threshold}::int <= 1 THEN clock_timestamp() + ${policy.cooldownMs}::float8 * interval '1 ms' END)
        ON CONFLICT (provider, model) DO UPDATE SET
          failures = CASE WHEN b.open_until <= clock_timestamp() THEN 1 ELSE b.failures + 1 END,
          open_until = CASE
            WHEN (CASE WHEN b.open_until <= clock_timestamp() THEN 1 ELSE b.failures + 1 END) >= ${policy.threshold}::int
            THEN clock_timestamp() + ${policy.cooldownMs}::float8 * interval '1 ms' END,
          changed_at = clock_timestamp()
        RETURNING provider, model, failures, open_until`,
    'lcm_breaker_failed',
  );
  return toBreaker(row as BreakerRecord);
}

function toBreaker(row: BreakerRecord): LcmBreaker {
  return { provider: row.provider, model: row.model, failures: row.failures, openUntil: row.open_until };
}

export async function breakerSucceeded(
  db: Database,
  key: { provider: string; model: string },
): Promise<void> {
  await run(
    db,
    sql`UPDATE lcm_breaker SET failures = 0, open_until = NULL, changed_at = clock_timestamp()
        WHERE provider = ${key.provider} AND model = ${key.model} AND failures > 0`,
    'lcm_breaker_succeeded',
  );
}

/**
 * Count calls before they are made. A window that has no room for them begins the backoff and counts nothing; after it a
 * new window begins. Allowed means: no backoff stands.
 */
export async function spend(
  db: Database,
  sessionId: string,
  wish: { calls: number; policy: LcmSpendPolicy },
): Promise<{ allowed: boolean; spend: LcmSpend }> {
  const { calls, policy } = wish;
  const rests = sql`(s.backoff_until IS NOT NULL AND s.backoff_until > now())`;
  const isOver = sql`(s.backoff_until IS NOT NULL OR s.window_started_at <= now() - ${policy.windowMs}::float8 * interval '1 ms')`;
  const used = sql`(CASE WHEN ${isOver} THEN 0 ELSE s.calls END)`;
  const fits = sql`(${used} + ${calls}::int <= ${policy.maxCalls}::int)`;
  const backoff = sql`now() + ${policy.backoffMs}::float8 * interval '1 ms'`;
  const isFirst = calls <= policy.maxCalls;
  const row = await runOne<SpendRecord>(
    db,
    sql`INSERT INTO lcm_spend AS s (session_id, window_started_at, calls, backoff_until)
        VALUES (${sessionId}, now(), ${isFirst ? calls : 0}::int, CASE WHEN NOT ${isFirst}::boolean THEN ${backoff} END)
        ON CONFLICT (session_id) DO UPDATE SET
          calls = CASE WHEN ${rests} THEN s.calls WHEN ${fits} THEN ${used} + ${calls}::int ELSE ${used} END,
          window_started_at = CASE WHEN ${rests} OR NOT ${isOver} THEN s.window_started_at ELSE now() END,
          backoff_until = CASE WHEN ${rests} THEN s.backoff_until WHEN NOT ${fits} THEN ${backoff} END
        RETURNING window_started_at, calls, backoff_until`,
    'lcm_spend',
  );
  const now = toSpend(row as SpendRecord);
  return { allowed: now.backoffUntil === null, spend: now };
}

/** No call before the backoff is over, whatever the window has left. */
export async function stopSpend(db: Database, sessionId: string, policy: LcmSpendPolicy): Promise<void> {
  await run(
    db,
    sql`INSERT INTO lcm_spend (session_id, window_started_at, calls, backoff_until)
        VALUES (${sessionId}, now(), 0, now() + ${policy.backoffMs}::float8 * interval '1 ms')
        ON CONFLICT (session_id) DO UPDATE SET backoff_until = EXCLUDED.backoff_until`,
    'lcm_stop_spend',
  );
}

export async function clearSpend(db: Database, sessionId: string): Promise<void> {
  await run(
    db,
    sql`UPDATE lcm_spend SET window_started_at = now(), calls = 0, backoff_until = NULL WHERE session_id = ${sessionId}`,
    'lcm_clear_spend',
  );
}

function toSpend(row: SpendRecord): LcmSpend {
  return { windowStartedAt: row.window_started_at, calls: row.calls, backoffUntil: row.backoff_until };
}

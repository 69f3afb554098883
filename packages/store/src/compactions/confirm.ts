/** compactions: what the next real prompt says of the newest one. */
import { probeAfterMs, type Usage } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';
import { mostStrikes } from './rest-session.ts';

/**
 * A compaction is judged by the next real prompt: at or over its trigger it did not help, a strike for the session;
 * below it the strikes end. Clearing old tool output is a stop-gap and no strike. Later counts change nothing. One
 * statement, so that every model call can afford it. Returns the strikes now, null when nothing waited to be judged.
 */
export async function confirm(
  db: Database,
  sessionId: string,
  { promptTokens, cacheReadTokens }: Pick<Usage, 'promptTokens' | 'cacheReadTokens'>,
): Promise<number | null> {
  const session = await runOne<{ ineffective_streak: number }>(
    db,
    sql`WITH newest AS (
        SELECT k.id, k.tokens_after_confirmed,
          k.trigger_tokens BETWEEN 1 AND ${promptTokens}::int AS is_over, k.outcome <> 'fallback_trim' AS is_judged
        FROM compactions k
        WHERE k.session_id = ${sessionId} AND k.figures IS NOT NULL ORDER BY k.id DESC LIMIT 1
      ), judged AS (
        UPDATE compactions k SET tokens_after_confirmed = ${promptTokens}::int,
          cache_share_after = ${shareOf(cacheReadTokens, promptTokens)}::float8,
          outcome = CASE WHEN newest.is_over AND newest.is_judged THEN 'ineffective' ELSE k.outcome END
        FROM newest
        WHERE k.session_id = ${sessionId} AND k.id = newest.id AND k.tokens_after_confirmed IS NULL
          AND newest.tokens_after_confirmed IS NULL
        RETURNING newest.is_over, newest.is_judged
      ), struck AS (
        SELECT CASE WHEN NOT judged.is_over THEN 0
          ELSE s.ineffective_streak + judged.is_judged::int END AS strikes, judged.is_over AND judged.is_judged AS is_strike
        FROM judged, sessions s WHERE s.id = ${sessionId}
      )
      UPDATE sessions s SET ineffective_streak = struck.strikes,
        probe_at = CASE WHEN struck.is_strike AND struck.strikes >= ${mostStrikes}::int
          THEN now() + ${probeAfterMs}::float8 * interval '1 ms' ELSE s.probe_at END
      FROM struck WHERE s.id = ${sessionId} RETURNING s.ineffective_streak`,
    'confirm_compaction',
  );
  return session?.ineffective_streak ?? null;
}

function shareOf(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}

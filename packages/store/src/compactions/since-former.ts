/** compactions and turns: what lies between a compaction and the one before it. */
import type { SinceFormer } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';

/** Null for the first compaction of a session that changed something. Asked once a compaction, never for a turn. */
export function sinceFormer(
  db: Database,
  sessionId: string,
  compactionId: number,
): Promise<SinceFormer | null> {
  return runOne<SinceFormer>(
    db,
    sql`WITH this AS (
        SELECT started_at FROM compactions WHERE session_id = ${sessionId} AND id = ${compactionId}::bigint
      ), former AS (
        SELECT k.started_at, greatest(0, (k.figures ->> 'tokensBefore')::float8 -
            coalesce(k.tokens_after_confirmed, (k.figures ->> 'tokensAfter')::float8)) AS saved
        FROM compactions k WHERE k.session_id = ${sessionId} AND k.id < ${compactionId}::bigint AND k.figures IS NOT NULL
        ORDER BY k.id DESC LIMIT 1)
      SELECT greatest(0, extract(epoch FROM this.started_at - former.started_at))::float8 AS seconds,
        former.saved AS "savedTokens", between_them.turns, between_them.calls, between_them.tokens AS "promptTokens"
      FROM this, former, LATERAL (
        SELECT count(*)::int AS turns, coalesce(sum(model_calls), 0)::int AS calls,
          coalesce(sum(prompt_tokens), 0)::float8 AS tokens
        FROM turns WHERE session_id = ${sessionId} AND started_at >= former.started_at AND started_at <= this.started_at
      ) between_them`,
    'since_former_compaction',
  );
}

/** turns: what the newest answer took. */
import type { TurnUsage } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';

/** The newest turn that has ended and asked a model; null when there is none. */
export function lastTurn(db: Database, sessionId: string): Promise<TurnUsage | null> {
  return runOne<TurnUsage>(
    db,
    sql`SELECT model_calls AS calls, prompt_tokens AS "promptTokens", cache_read_tokens AS "cacheReadTokens",
               cache_write_tokens AS "cacheWriteTokens", output_tokens AS "outputTokens",
               microdollars / 1000000.0::float8 AS dollars
        FROM turns WHERE session_id = ${sessionId} AND state <> 'running' AND model_calls > 0
        ORDER BY started_at DESC LIMIT 1`,
    'last_turn_usage',
  );
}

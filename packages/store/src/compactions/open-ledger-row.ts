/** compactions: the start row of an attempt, so that one that dies is seen. */
import { GatewayError, type OpenedCompaction } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Executor, runOne } from '../database.ts';

/** Open a ledger row, at once or inside a transaction; returns its id. */
export async function openLedgerRow(db: Executor, opened: OpenedCompaction): Promise<number> {
  const row = await runOne<{ id: number }>(
    db,
    sql`INSERT INTO compactions (session_id, epoch_before, engine, layer, trigger, strategy, window_tokens, window_source,
        threshold_raw, trigger_tokens, main_model, cache_share_before, started_at)
      VALUES (${opened.sessionId}, ${opened.epoch}::bigint, ${opened.engine}, ${opened.layer}, ${opened.trigger},
        ${opened.strategy ?? null}, ${Math.round(opened.windowTokens)}::int, ${opened.windowSource}, ${opened.thresholdRaw}::float8,
        ${Math.round(opened.triggerTokens)}::int, ${opened.mainModel},
        ${opened.cacheShareBefore ?? null}::float8, clock_timestamp())
      RETURNING id`,
    'open_compaction',
  );
  if (row === null)
    throw new GatewayError('internal', `no ledger row was opened for session ${opened.sessionId}; try again`);
  return row.id;
}

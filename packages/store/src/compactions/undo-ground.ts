/** compactions, messages, lcm_context_items and dcp_block: the newest compaction that stands, and what taking it back would change. */
import type { UndoGround } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Executor, runOne } from '../database.ts';

interface GroundRecord {
  id: number;
  engine: string;
  in_place: boolean;
  restored_rows: number;
  restored_tokens: number;
  written_rows: number;
  withdrawn_rows: number;
  withdrawn_tokens: number;
}

export interface FoundGround extends UndoGround {
  /** Every row it wrote is still as it was written: live, changed by nobody. */
  isUntouched: boolean;
}

/** `dcp_block b`: on, and the call that made it, if one did, was not taken back. */
const standing = sql.raw(
  `b.status = 'on' AND (b.origin_turn_id IS NULL OR EXISTS (SELECT 1 FROM messages o WHERE o.session_id = b.session_id
     AND o.turn_id = b.origin_turn_id AND o.active = 1 AND b.origin_call_id = ANY(o.tool_call_ids)))`,
);

/**
 * Newest first by id; an undo is a row of the ledger too, but nothing that stands. Under the model-guided engine neither
 * is what set marks only, nor what made blocks of which none is shown any more by itself: taking it back would change nothing.
 */
export async function undoGround(executor: Executor, sessionId: string): Promise<FoundGround | null> {
  const record = await runOne<GroundRecord>(
    executor,
    sql`WITH newest AS (
        SELECT k.id, k.engine, k.in_place, coalesce(k.written_rows, '{}') AS written_rows FROM compactions k
        WHERE k.session_id = ${sessionId} AND k.figures IS NOT NULL AND k.undone_by IS NULL AND k.trigger <> 'undo'
          AND (k.engine <> 'dcp' OR (k.figures ->> 'rowsArchived')::int > 0
            OR EXISTS (SELECT 1 FROM dcp_block b WHERE b.session_id = k.session_id AND b.compaction_id = k.id AND ${standing}))
        ORDER BY k.id DESC LIMIT 1
      )
      SELECT newest.id, newest.engine, newest.in_place, cardinality(newest.written_rows) AS written_rows,
        archived.rows + blocks.units AS restored_rows, archived.tokens + items.restored + blocks.raw AS restored_tokens,
        written.rows AS withdrawn_rows, written.tokens + items.withdrawn + blocks.summaries AS withdrawn_tokens
      FROM newest
      CROSS JOIN LATERAL (SELECT count(*)::int AS rows, coalesce(sum(m.tokens), 0)::int AS tokens FROM messages m
        WHERE m.session_id = ${sessionId} AND m.archived_by = newest.id AND m.active = 0 AND NOT EXISTS (
          SELECT 1 FROM lcm_summary_messages e WHERE e.session_id = ${sessionId} AND e.message_id = m.id
            AND e.was_archived_by IS NOT NULL)) archived
      CROSS JOIN LATERAL (SELECT count(*)::int AS rows, coalesce(sum(m.tokens), 0)::int AS tokens FROM messages m
        WHERE m.session_id = ${sessionId} AND m.id = ANY(newest.written_rows) AND m.active = 1) written
      CROSS JOIN LATERAL (SELECT coalesce(sum(i.tokens) FILTER (WHERE i.archived_by = newest.id AND i.active = 0), 0)::int AS restored,
          coalesce(sum(i.tokens) FILTER (WHERE i.created_by = newest.id AND i.active = 1), 0)::int AS withdrawn
        FROM lcm_context_items i WHERE i.session_id = ${sessionId}) items
      CROSS JOIN LATERAL (SELECT coalesce(sum(cardinality(b.unit_ids)), 0)::int AS units,
          coalesce(sum(b.raw_tokens), 0)::int AS raw, coalesce(sum(b.summary_tokens), 0)::int AS summaries
        FROM dcp_block b WHERE b.session_id = ${sessionId} AND b.compaction_id = newest.id AND ${standing}) blocks`,
    'undo_ground',
  );
  if (record === null) return null;
  return {
    compactionId: record.id,
    engine: record.engine,
    inPlace: record.in_place,
    restoredRows: record.restored_rows,
    restoredTokens: record.restored_tokens,
    withdrawnRows: record.withdrawn_rows,
    withdrawnTokens: record.withdrawn_tokens,
    isUntouched: record.withdrawn_rows === record.written_rows,
  };
}

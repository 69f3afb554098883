/**
 * compactions, messages: summary rows over erased messages are withdrawn, and what they stood for takes their place.
 *
 *   rows → the compaction that archived them → its summary → the compaction that archived that → … the summary that stands
 *
 * The rows under a withdrawn summary are live again where it was live, as after an undo. Whether they fit is not asked
 * here: the next turn condenses what is too much before the model sees it, from the rows as they are now, and by a local
 * summary where no model can. In the session a rotation left, rows cannot come back: its child's summary is blanked.
 */
import { sql } from 'drizzle-orm';
import { run, runOne, type Transaction } from '../database.ts';
import type { StoredRow } from './erased-rows.ts';

/** A summary over the erased rows. */
interface HitRecord extends Pick<StoredRow, 'session_id' | 'id' | 'parts' | 'replaces'> {
  active: number;
  compacted: number;
  archived_by: number | null;
  /** The compaction that wrote it; null for one that was taken back. */
  compaction_id: number | null;
  /** The session goes on where the rows under it are not. */
  is_rotated: boolean;
}

export interface WithdrawnSummaries {
  /** Withdrawn: nothing of them is kept. */
  withdrawn: readonly Pick<HitRecord, 'session_id' | 'id' | 'parts'>[];
  /** Of rotated sessions: they stand, with nothing in them but what they were merged into. */
  blanked: readonly HitRecord[];
  /** Compactions of the session that are void now, newest first. */
  compactionIds: readonly number[];
}

/** sessions: all that hold rows in question; rowIds: what is erased or changed. Rows' states change, their texts not yet. */
export async function withdrawSummaries(
  tx: Transaction,
  sessionIds: readonly string[],
  rowIds: readonly number[],
): Promise<WithdrawnSummaries> {
  const hits = await findHits(tx, sessionIds, rowIds);
  const blanked = hits.filter((hit) => hit.is_rotated);
  const inPlace = hits.filter((hit) => !hit.is_rotated && hit.compaction_id !== null);
  const states = statesOf(inPlace);
  for (const [compactionId, hit] of states) await moveUnder(tx, compactionId, hit);
  const withdrawn = hits.filter((hit) => !hit.is_rotated);
  await run(
    tx,
    sql`UPDATE messages SET active = 0, compacted = 0, archived_by = NULL
        WHERE session_id = ANY(${sql.param([...sessionIds])}::text[])
          AND id = ANY(${sql.param(withdrawn.map((hit) => hit.id))}::bigint[])`,
    'erase_withdraw',
  );
  return { withdrawn, blanked, compactionIds: [...states.keys()] };
}

/**
 * Summaries that were taken back say nothing of what they covered, and nobody reads them: those behind an erased row go
 * too.
 */
function findHits(
  tx: Transaction,
  sessionIds: readonly string[],
  rowIds: readonly number[],
): Promise<HitRecord[]> {
  const sessions = sql.param([...sessionIds]);
  const rows = sql.param([...rowIds]);
  return run<HitRecord>(
    tx,
    sql`WITH RECURSIVE written AS MATERIALIZED (
          SELECT k.id AS compaction_id, k.session_id, k.old_session_id <> '' AS is_rotated, w.row_id
          FROM compactions k, unnest(k.written_rows) AS w(row_id)
          WHERE k.session_id = ANY(${sessions}::text[]) AND k.undone_by IS NULL
        ), hit AS (
          SELECT m.session_id, m.id, m.archived_by FROM messages m
          WHERE m.session_id = ANY(${sessions}::text[]) AND m.id = ANY(${rows}::bigint[])
          UNION
          SELECT s.session_id, s.id, s.archived_by FROM hit h
          JOIN written w ON w.compaction_id = h.archived_by
          JOIN messages s ON s.session_id = w.session_id AND s.id = w.row_id AND s.kind = 'summary'
        )
        SELECT s.session_id, s.id, s.parts, s.replaces, s.active, s.compacted, s.archived_by, w.compaction_id,
          coalesce(w.is_rotated, false) AS is_rotated
        FROM hit h JOIN messages s ON s.session_id = h.session_id AND s.id = h.id AND s.kind = 'summary'
        LEFT JOIN written w ON w.row_id = s.id
        UNION
        SELECT s.session_id, s.id, s.parts, s.replaces, s.active, s.compacted, s.archived_by, NULL, false
        FROM messages s JOIN (SELECT session_id, min(seq) AS seq FROM messages
          WHERE session_id = ANY(${sessions}::text[]) AND id = ANY(${rows}::bigint[]) GROUP BY session_id) first
          ON first.session_id = s.session_id AND s.seq > first.seq
        WHERE s.kind = 'summary' AND s.active = 0 AND s.compacted = 0`,
    'erase_summaries',
  );
}

interface SummaryState extends Pick<HitRecord, 'session_id' | 'active' | 'compacted' | 'archived_by'> {}

/** Compaction → the state in which its summary stands at last, newest first. One that a void compaction put away has that one's. */
function statesOf(hits: readonly HitRecord[]): ReadonlyMap<number, SummaryState> {
  const states = new Map<number, SummaryState>();
  const newestFirst = hits.toSorted((a, b) => (b.compaction_id ?? 0) - (a.compaction_id ?? 0));
  for (const hit of newestFirst) {
    const id = hit.compaction_id as number;
    if (states.get(id)?.active === 1) continue;
    states.set(id, states.get(hit.archived_by ?? 0) ?? hit);
  }
  return states;
}

/** A row that is written anew by a sound row, at whatever distance, stays put away: that one stands for it. */
async function moveUnder(tx: Transaction, compactionId: number, state: SummaryState): Promise<void> {
  const { session_id: sessionId, active, compacted, archived_by: archivedBy } = state;
  await run(
    tx,
    sql`WITH RECURSIVE standing AS (
          SELECT r.id, r.replaces FROM compactions k, unnest(k.written_rows) AS w(row_id)
          JOIN messages r ON r.session_id = ${sessionId} AND r.id = w.row_id AND r.kind <> 'summary'
          WHERE k.session_id = ${sessionId} AND k.undone_by IS NULL AND r.replaces IS NOT NULL
            AND (r.active = 1 OR r.compacted = 1)
          UNION
          SELECT o.id, o.replaces FROM standing s
          JOIN messages o ON o.session_id = ${sessionId} AND o.id = s.replaces WHERE o.replaces IS NOT NULL)
        UPDATE messages m SET active = ${active}::smallint, compacted = ${compacted}::smallint,
          archived_by = ${archivedBy}::bigint
        WHERE m.session_id = ${sessionId} AND m.archived_by = ${compactionId}::bigint AND m.active = 0
          AND NOT EXISTS (SELECT 1 FROM standing s WHERE s.replaces = m.id)`,
    'erase_move_under',
  );
}

/** They can be taken back no more: a ledger row of its own says so, as after an undo. Null when there are none. */
export async function voidCompactions(
  tx: Transaction,
  sessionId: string,
  compactionIds: readonly number[],
): Promise<number | null> {
  if (compactionIds.length === 0) return null;
  const ids = sql.param([...compactionIds]);
  const row = await runOne<{ id: number }>(
    tx,
    sql`INSERT INTO compactions (session_id, epoch_before, epoch_after, engine, layer, trigger, outcome, window_tokens,
          window_source, threshold_raw, trigger_tokens, main_model, message, finished_at, duration_ms)
        SELECT k.session_id, k.epoch_before, k.epoch_after, k.engine, 'manual', 'undo', 'success', k.window_tokens,
          k.window_source, k.threshold_raw, k.trigger_tokens, k.main_model, 'withdrawn: a message under it was erased', now(), 0
        FROM compactions k WHERE k.session_id = ${sessionId} AND k.id = ANY(${ids}::bigint[]) ORDER BY k.id DESC LIMIT 1
        RETURNING id`,
    'erase_ledger_row',
  );
  if (row === null) return null;
  await run(
    tx,
    sql`UPDATE compactions SET undone_by = ${row.id}::bigint
        WHERE session_id = ${sessionId} AND id = ANY(${ids}::bigint[]) AND undone_by IS NULL`,
    'erase_void',
  );
  return row.id;
}

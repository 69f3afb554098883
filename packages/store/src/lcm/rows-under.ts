/** For entering the engine: which messages lie under a summary row that another engine wrote. */
import type { LcmCoveredRow } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

interface CoveredRecord {
  top: number;
  id: number;
  seq: number;
  tokens: number;
  sent_at: Date;
}

/**
 * Under a summary row lies what the compaction that wrote it archived, but for rows that another row of the same compaction
 * stands for. Where it wrote several summaries, each has the rows in front of it, up to the one before; the last has what
 * stands behind it too, and a single one has all. Under an earlier summary among them lies what its own compaction archived,
 * and so on. Copies lead to the row they came from.
 *
 *   down:  summary row → its compaction → archived rows → the summaries among them → …
 *   up:    a copy → the row it replaces → … the original, if it is in this session
 */
export async function rowsUnder(
  db: Database,
  sessionId: string,
  rowIds: readonly number[],
): Promise<ReadonlyMap<number, readonly LcmCoveredRow[]>> {
  const found = new Map<number, LcmCoveredRow[]>(rowIds.map((id) => [id, []]));
  if (rowIds.length === 0) return found;
  const rows = await run<CoveredRecord>(
    db,
    sql`WITH RECURSIVE written AS MATERIALIZED (
          SELECT k.id AS compaction_id, w.row_id FROM compactions k, unnest(k.written_rows) AS w(row_id)
          WHERE k.session_id = ${sessionId} AND k.written_rows IS NOT NULL
        ), span AS MATERIALIZED (
          SELECT w.compaction_id, w.row_id, coalesce(lag(c.seq) OVER places, 0) AS behind,
                 CASE WHEN lead(c.seq) OVER places IS NULL THEN 9223372036854775807 ELSE c.seq END AS before
          FROM written w JOIN messages c ON c.session_id = ${sessionId} AND c.id = w.row_id
          WHERE c.kind = 'summary' WINDOW places AS (PARTITION BY w.compaction_id ORDER BY c.seq)
        ), down AS (
          SELECT m.id AS top, m.id, m.kind, m.replaces FROM messages m
          WHERE m.session_id = ${sessionId} AND m.id = ANY(${sql.param([...rowIds])}::bigint[])
          UNION
          SELECT d.top, m.id, m.kind, m.replaces
          FROM down d JOIN span w ON w.row_id = d.id
          JOIN messages m ON m.session_id = ${sessionId} AND m.archived_by = w.compaction_id AND m.active = 0
            AND m.seq > w.behind AND m.seq < w.before
          WHERE NOT EXISTS (
            SELECT 1 FROM written o JOIN messages c ON c.session_id = ${sessionId} AND c.id = o.row_id
            WHERE o.compaction_id = w.compaction_id AND o.row_id <> d.id AND c.replaces = m.id)
        ), up AS (
          SELECT d.top, d.id AS leaf, d.id, d.kind, d.replaces, 0 AS level FROM down d
          UNION ALL
          SELECT u.top, u.leaf, o.id, o.kind, o.replaces, u.level + 1
          FROM up u JOIN messages o ON o.session_id = ${sessionId} AND o.id = u.replaces
        ), roots AS (SELECT DISTINCT ON (top, leaf) top, id, kind FROM up ORDER BY top, leaf, level DESC)
        SELECT DISTINCT r.top, m.id, m.seq, m.tokens, m.sent_at
        FROM roots r JOIN messages m ON m.session_id = ${sessionId} AND m.id = r.id
        WHERE r.kind <> 'summary' ORDER BY m.seq`,
    'lcm_rows_under',
  );
  for (const row of rows)
    found.get(row.top)?.push({ id: row.id, seq: row.seq, tokens: row.tokens, sentAt: row.sent_at });
  await standForThemselves(db, sessionId, found);
  return found;
}

/** A summary that came along from another session has nothing under it here. */
async function standForThemselves(
  db: Database,
  sessionId: string,
  found: ReadonlyMap<number, LcmCoveredRow[]>,
): Promise<void> {
  const alone = [...found].filter(([, rows]) => rows.length === 0).map(([id]) => id);
  if (alone.length === 0) return;
  const rows = await run<Omit<CoveredRecord, 'top'>>(
    db,
    sql`SELECT m.id, m.seq, m.tokens, m.sent_at FROM messages m
        WHERE m.session_id = ${sessionId} AND m.id = ANY(${sql.param(alone)}::bigint[])`,
    'lcm_rows_alone',
  );
  for (const row of rows)
    found.get(row.id)?.push({ id: row.id, seq: row.seq, tokens: row.tokens, sentAt: row.sent_at });
}

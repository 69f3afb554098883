/** What a compaction left in the prompt, told from the rows as they are now. */
import type { KeptRange, KeptRows } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

interface PlaceRecord {
  kept: number;
  place: 'head' | 'between' | 'tail' | null;
  rows: number;
  first_seq: number;
  last_seq: number;
}

/**
 * The ledger counted the kept rows; where they stood is told from the rows that were there and were archived later or
 * not at all. Where the two counts differ (rows withdrawn or erased since, a rotation), only the ledger's is given.
 */
export async function keptRows(
  db: Database,
  sessionId: string,
  compactionId: number,
): Promise<KeptRows | null> {
  const records = await run<PlaceRecord>(
    db,
    sql`WITH k AS (SELECT *, (figures ->> 'rowsProtected')::int AS kept FROM compactions
          WHERE session_id = ${sessionId} AND id = ${compactionId}::bigint AND figures IS NOT NULL
            AND archive_first_seq IS NOT NULL)
        SELECT k.kept, p.* FROM k LEFT JOIN LATERAL (
          SELECT CASE WHEN m.seq < k.archive_first_seq THEN 'head' WHEN m.seq > k.archive_last_seq THEN 'tail' ELSE 'between' END
              AS place, count(*)::int AS rows, min(m.seq) AS first_seq, max(m.seq) AS last_seq
          FROM messages m WHERE m.session_id = k.session_id AND k.in_place
            AND (m.active = 1 OR m.archived_by > k.id)
            AND CASE WHEN k.written_rows = '{}' THEN m.created_at <= k.finished_at
              ELSE m.id < (SELECT min(written) FROM unnest(k.written_rows) written) END
          GROUP BY 1) p ON true`,
    'kept_rows',
  );
  const [first] = records;
  if (!first) return null;
  const found = records.reduce((sum, { rows }) => sum + rows, 0);
  if (found !== first.kept || found === 0) return { rows: first.kept, places: null };
  const rangeOf = (place: PlaceRecord['place']): KeptRange | null => {
    const record = records.find((one) => one.place === place);
    return record ? { rows: record.rows, firstSeq: record.first_seq, lastSeq: record.last_seq } : null;
  };
  const places = { head: rangeOf('head'), between: rangeOf('between'), tail: rangeOf('tail') };
  return { rows: first.kept, places };
}

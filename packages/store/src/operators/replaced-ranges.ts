/** What a compaction put aside, from its first row to its last. */
import type { ReplacedRange } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

/** One for each of the compactions under which rows lie; what was taken back has none. */
export function replacedRanges(
  db: Database,
  sessionId: string,
  compactionIds: readonly number[],
): Promise<readonly ReplacedRange[]> {
  return run<ReplacedRange>(
    db,
    sql`SELECT archived_by AS "compactionId", count(*)::int AS rows, min(seq) AS "firstSeq", max(seq) AS "lastSeq",
          min(sent_at) AS "firstAt", max(sent_at) AS "lastAt"
        FROM messages WHERE session_id = ${sessionId} AND archived_by = ANY(${sql.param([...compactionIds])}::bigint[])
        GROUP BY archived_by`,
  );
}

/** Looking under a summary: its place in the graph, its sources, its messages. Out of scope is as if it did not exist. */
import type { LcmDescribedSummary, LcmManifestEntry, LcmScope, LcmSummary } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne } from '../database.ts';
import { sessionOfSummary } from './scope.ts';
import {
  type HeadRecord,
  headColumns,
  summaryColumns,
  type SummaryRecord,
  toHead,
  toSummary,
} from './summary-record.ts';

const maxManifest = 500;
/** No graph of ours is deeper; a circle, which no writer makes, ends here. */
const maxLevels = 64;

interface DescribedRecord extends SummaryRecord {
  session_id: string;
  created_at: Date;
  derived_ids: string[];
  message_count: number;
  is_in_context: boolean;
}

export async function describe(
  db: Database,
  scope: LcmScope,
  summaryId: string,
): Promise<LcmDescribedSummary | null> {
  const sessionId = await sessionOfSummary(db, scope, summaryId);
  if (sessionId === null) return null;
  const row = await runOne<DescribedRecord>(
    db,
    sql`SELECT ${summaryColumns}, s.session_id, s.created_at,
          ARRAY(SELECT e.summary_id FROM lcm_summary_sources e
            WHERE e.session_id = s.session_id AND e.source_summary_id = s.id ORDER BY e.summary_id) AS derived_ids,
          (SELECT count(*) FROM lcm_summary_messages e WHERE e.session_id = s.session_id AND e.summary_id = s.id)::int AS message_count,
          EXISTS (SELECT 1 FROM lcm_context_items i
            WHERE i.session_id = s.session_id AND i.summary_id = s.id AND i.active = 1) AS is_in_context
        FROM lcm_summaries s WHERE s.session_id = ${sessionId} AND s.id = ${summaryId}`,
    'lcm_describe',
  );
  if (row === null) return null;
  return {
    ...toSummary(row),
    sessionId: row.session_id,
    createdAt: row.created_at,
    derivedIds: row.derived_ids,
    messageCount: row.message_count,
    isInContext: row.is_in_context,
  };
}

/** Of each source the newest revision. */
export async function sourcesOf(
  db: Database,
  scope: LcmScope,
  summaryId: string,
): Promise<readonly LcmSummary[] | null> {
  const sessionId = await sessionOfSummary(db, scope, summaryId);
  if (sessionId === null) return null;
  const rows = await run<SummaryRecord>(
    db,
    sql`WITH RECURSIVE revision AS (
          SELECT e.ord, e.source_summary_id AS id, 0 AS level FROM lcm_summary_sources e
          WHERE e.session_id = ${sessionId} AND e.summary_id = ${summaryId}
          UNION ALL
          SELECT r.ord, o.superseded_by, r.level + 1 FROM revision r
          JOIN lcm_summaries o ON o.session_id = ${sessionId} AND o.id = r.id
          WHERE o.superseded_by IS NOT NULL AND r.level < ${maxLevels}::int
        ), newest AS (SELECT DISTINCT ON (ord) ord, id FROM revision ORDER BY ord, level DESC)
        SELECT ${summaryColumns} FROM newest JOIN lcm_summaries s ON s.session_id = ${sessionId} AND s.id = newest.id
        ORDER BY newest.ord`,
    'lcm_sources_of',
  );
  return rows.map(toSummary);
}

/** By level, then time. Nodes that several share are listed once, at their highest level. */
export async function manifest(
  db: Database,
  scope: LcmScope,
  wish: { summaryId: string; maxDepth: number },
): Promise<readonly LcmManifestEntry[] | null> {
  const sessionId = await sessionOfSummary(db, scope, wish.summaryId);
  if (sessionId === null) return null;
  const rows = await run<HeadRecord & { level: number }>(
    db,
    sql`WITH RECURSIVE under AS (
          SELECT e.source_summary_id AS id, 1 AS level FROM lcm_summary_sources e
          WHERE e.session_id = ${sessionId} AND e.summary_id = ${wish.summaryId}
          UNION
          SELECT e.source_summary_id, u.level + 1 FROM under u
          JOIN lcm_summary_sources e ON e.session_id = ${sessionId} AND e.summary_id = u.id
          WHERE u.level < ${Math.min(wish.maxDepth, maxLevels)}::int
        ), once AS (SELECT id, min(level)::int AS level FROM under GROUP BY id)
        SELECT ${headColumns}, once.level FROM once
        JOIN lcm_summaries s ON s.session_id = ${sessionId} AND s.id = once.id
        ORDER BY once.level, s.earliest_at, s.id LIMIT ${maxManifest}::int`,
    'lcm_manifest',
  );
  return rows.map((row) => ({ ...toHead(row), level: row.level }));
}

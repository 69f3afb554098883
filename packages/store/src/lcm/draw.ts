/** The graph for people: its shape without its texts, and what one compaction wrote. */
import type { LcmDrawing, LcmDrawnNode, LcmEscalation, LcmSummary } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne } from '../database.ts';
import { summaryColumns, type SummaryRecord, toSummary } from './summary-record.ts';

interface DrawnRecord {
  id: string;
  depth: number;
  tokens: number;
  escalation: LcmEscalation;
  superseded_by: string | null;
  in_context: boolean;
  source_ids: string[];
  messages: number;
  first_seq: number | null;
  last_seq: number | null;
}

export async function draw(db: Database, sessionId: string, mostLeaves: number): Promise<LcmDrawing> {
  const [records, figures] = await Promise.all([
    drawnNodes(db, sessionId, mostLeaves),
    drawnFigures(db, sessionId),
  ]);
  const { leaves, rows, first_seq: firstSeq, last_seq: lastSeq } = figures;
  return {
    nodes: newestOnly(records),
    leaves,
    live: firstSeq === null || lastSeq === null ? null : { rows, firstSeq, lastSeq },
  };
}

/** Condensed nodes and rewritten ones all, since there are few of them. */
function drawnNodes(db: Database, sessionId: string, mostLeaves: number): Promise<DrawnRecord[]> {
  return run<DrawnRecord>(
    db,
    sql`WITH drawn AS (
          (SELECT s.* FROM lcm_summaries s
            WHERE s.session_id = ${sessionId} AND s.kind = 'leaf' AND s.superseded_by IS NULL
            ORDER BY s.latest_at DESC, s.id LIMIT ${mostLeaves}::int)
          UNION ALL
          SELECT s.* FROM lcm_summaries s
          WHERE s.session_id = ${sessionId} AND (s.kind = 'condensed' OR s.superseded_by IS NOT NULL)
        )
        SELECT d.id, d.depth, d.tokens, d.escalation, d.superseded_by, r.messages, r.first_seq, r.last_seq,
          EXISTS (SELECT 1 FROM lcm_context_items i
            WHERE i.session_id = d.session_id AND i.summary_id = d.id AND i.active = 1) AS in_context,
          ARRAY(SELECT e.source_summary_id FROM lcm_summary_sources e
            WHERE e.session_id = d.session_id AND e.summary_id = d.id ORDER BY e.ord) AS source_ids
        FROM drawn d, LATERAL (SELECT count(*)::int AS messages, min(m.seq) AS first_seq, max(m.seq) AS last_seq
          FROM lcm_summary_messages e JOIN messages m ON m.session_id = ${sessionId} AND m.id = e.message_id
          WHERE e.session_id = d.session_id AND e.summary_id = d.id) r
        ORDER BY d.depth, r.first_seq, d.id`,
    'lcm_draw',
  );
}

async function drawnFigures(db: Database, sessionId: string) {
  const row = await runOne<{
    leaves: number;
    rows: number;
    first_seq: number | null;
    last_seq: number | null;
  }>(
    db,
    sql`SELECT (SELECT count(*)::int FROM lcm_summaries s WHERE s.session_id = ${sessionId} AND s.kind = 'leaf'
            AND s.superseded_by IS NULL) AS leaves, count(*)::int AS rows, min(m.seq) AS first_seq, max(m.seq) AS last_seq
        FROM messages m WHERE m.session_id = ${sessionId} AND m.active = 1`,
    'lcm_draw_figures',
  );
  return row!;
}

/** Deeper nodes come later, so what an undrawn leaf alone carries falls out on the way. */
function newestOnly(records: readonly DrawnRecord[]): LcmDrawnNode[] {
  const newerOf = new Map(records.map((record) => [record.id, record.superseded_by]));
  const newest = (id: string): string => {
    const newer = newerOf.get(id);
    return newer ? newest(newer) : id;
  };
  const drawn = new Map<string, LcmDrawnNode>();
  for (const record of records) {
    const sourceIds = record.source_ids.map(newest).filter((id) => drawn.has(id));
    if (record.superseded_by !== null || (record.depth > 0 && sourceIds.length === 0)) continue;
    const sources = sourceIds.map((id) => drawn.get(id)!);
    drawn.set(record.id, toDrawn(record, sources));
  }
  return [...drawn.values()].sort((one, other) => one.depth - other.depth || one.firstSeq - other.firstSeq);
}

function toDrawn(record: DrawnRecord, sources: readonly LcmDrawnNode[]): LcmDrawnNode {
  const { id, depth, tokens, escalation, messages } = record;
  return {
    id,
    depth,
    tokens,
    escalation,
    isInContext: record.in_context,
    sourceIds: sources.map((source) => source.id),
    messages,
    firstSeq: record.first_seq ?? Math.min(...sources.map(({ firstSeq }) => firstSeq)),
    lastSeq: record.last_seq ?? Math.max(...sources.map(({ lastSeq }) => lastSeq)),
  };
}

export async function writtenBy(
  db: Database,
  sessionId: string,
  compactionId: number,
): Promise<readonly LcmSummary[]> {
  const rows = await run<SummaryRecord>(
    db,
    sql`SELECT ${summaryColumns} FROM lcm_context_items i
        JOIN lcm_summaries s ON s.session_id = i.session_id AND s.id = i.summary_id
        WHERE i.session_id = ${sessionId} AND i.created_by = ${compactionId}::bigint
        ORDER BY i.ordinal, i.id`,
    'lcm_written_by',
  );
  return rows.map(toSummary);
}

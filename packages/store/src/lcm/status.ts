/** Totals of a session for people and for lcm_describe. */
import type { LcmExport, LcmStatus } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne } from '../database.ts';
import { debtJson, toDebt } from './load-state.ts';
import { summaryColumns, type SummaryRecord, toSummary } from './summary-record.ts';

interface StatusRecord {
  live_messages: number;
  live_tokens: number;
  covered: number;
  items: number;
  item_tokens: number;
  by_depth: { depth: number; nodes: number }[];
  summary_tokens: number;
  files: number;
  file_bytes: number;
  boundary_seq: number;
  debt: Parameters<typeof toDebt>[0];
  recent: { compactionId: number; at: string; trigger: string; outcome: string; nodes: number }[];
}

export async function readStatus(db: Database, sessionId: string): Promise<LcmStatus> {
  const row = await runOne<StatusRecord>(
    db,
    sql`SELECT live.rows AS live_messages, live.tokens AS live_tokens, item.items, item.tokens AS item_tokens,
          (SELECT count(DISTINCT e.message_id) FROM lcm_summary_messages e WHERE e.session_id = ${sessionId})::int AS covered,
          node.by_depth, node.tokens AS summary_tokens, file.files, file.bytes AS file_bytes,
          (SELECT coalesce(max(c.boundary_seq), 0) FROM lcm_chapters c WHERE c.session_id = ${sessionId}) AS boundary_seq,
          (SELECT ${debtJson} FROM lcm_compaction_debt d WHERE d.session_id = ${sessionId}) AS debt,
          (SELECT coalesce(jsonb_agg(to_jsonb(k)), '[]') FROM (
            SELECT k.id AS "compactionId", k.started_at AS at, k.trigger, k.outcome, (SELECT count(*) FROM lcm_context_items i
                WHERE i.session_id = k.session_id AND i.created_by = k.id) AS nodes
            FROM compactions k WHERE k.session_id = ${sessionId} AND k.figures IS NOT NULL AND k.undone_by IS NULL
              AND k.trigger <> 'undo' ORDER BY k.id DESC LIMIT 10) k) AS recent
        FROM (SELECT count(*)::int AS rows, coalesce(sum(m.tokens), 0)::int AS tokens FROM messages m
            WHERE m.session_id = ${sessionId} AND m.active = 1) live,
          (SELECT count(*)::int AS items, coalesce(sum(i.tokens), 0)::int AS tokens FROM lcm_context_items i
            WHERE i.session_id = ${sessionId} AND i.active = 1) item,
          (SELECT coalesce(jsonb_agg(to_jsonb(d) ORDER BY d.depth), '[]') AS by_depth, coalesce(sum(d.tokens), 0)::int AS tokens
            FROM (SELECT s.depth, count(*) AS nodes, sum(s.tokens) AS tokens FROM lcm_summaries s
              WHERE s.session_id = ${sessionId} AND s.superseded_by IS NULL GROUP BY s.depth) d) node,
          (SELECT count(*)::int AS files, coalesce(sum(p.bytes), 0)::bigint AS bytes FROM lcm_files f
            JOIN payloads p ON p.session_id = f.session_id AND p.id = f.payload_id WHERE f.session_id = ${sessionId}) file`,
    'lcm_status',
  );
  return toStatus(row as StatusRecord);
}

function toStatus(row: StatusRecord): LcmStatus {
  const maxDepth = Math.max(-1, ...row.by_depth.map((entry) => entry.depth));
  const nodesOf = new Map(row.by_depth.map((entry) => [entry.depth, entry.nodes]));
  return {
    liveMessages: row.live_messages,
    liveMessageTokens: row.live_tokens,
    coveredMessages: row.covered,
    items: row.items,
    itemTokens: row.item_tokens,
    summariesByDepth: Array.from({ length: maxDepth + 1 }, (_, depth) => nodesOf.get(depth) ?? 0),
    summaryTokens: row.summary_tokens,
    maxDepth: Math.max(0, maxDepth),
    files: row.files,
    fileBytes: row.file_bytes,
    boundarySeq: row.boundary_seq,
    debt: toDebt(row.debt),
    recent: row.recent.map((entry) => ({ ...entry, at: new Date(entry.at) })),
  };
}

/** The whole graph, oldest nodes first. */
export async function exportGraph(db: Database, sessionId: string): Promise<LcmExport> {
  const rows = await run<SummaryRecord & { message_ids: number[]; created_at: Date }>(
    db,
    sql`SELECT ${summaryColumns}, s.created_at, ARRAY(SELECT e.message_id FROM lcm_summary_messages e
          WHERE e.session_id = s.session_id AND e.summary_id = s.id ORDER BY e.ord) AS message_ids
        FROM lcm_summaries s WHERE s.session_id = ${sessionId} ORDER BY s.depth, s.earliest_at, s.id`,
    'lcm_export_nodes',
  );
  const items = await run<{ summary_id: string; ordinal: number }>(
    db,
    sql`SELECT i.summary_id, i.ordinal FROM lcm_context_items i
        WHERE i.session_id = ${sessionId} AND i.active = 1 ORDER BY i.ordinal`,
    'lcm_export_items',
  );
  const [chapter] = await run<{ seq: number }>(
    db,
    sql`SELECT coalesce(max(c.boundary_seq), 0) AS seq FROM lcm_chapters c WHERE c.session_id = ${sessionId}`,
    'lcm_boundary',
  );
  return {
    sessionId,
    summaries: rows.map((row) => ({
      ...toSummary(row),
      messageIds: row.message_ids,
      createdAt: row.created_at,
    })),
    items: items.map((item) => ({ summaryId: item.summary_id, ordinal: item.ordinal })),
    boundarySeq: chapter?.seq ?? 0,
  };
}

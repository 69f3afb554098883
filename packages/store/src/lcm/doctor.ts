/** The graph's rules as SQL. Each statement gives the ids of what breaks one. */
import type { LcmProblem } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { type Database, run, transaction } from '../database.ts';

const maxProblems = 1_000;

type Check = LcmProblem['check'];

interface FoundRecord {
  summary_id: string | null;
  message_id: number | null;
}

/** Broken rules first; one transaction, so that all speak of the same moment. */
export async function doctor(db: Database, sessionId: string): Promise<readonly LcmProblem[]> {
  return transaction(db, async (tx) => {
    await run(tx, sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`);
    await run(tx, sql`SET LOCAL statement_timeout = '10s'`);
    const problems: LcmProblem[] = [];
    for (const [check, statement] of checks(sessionId)) {
      const rows = await run<FoundRecord>(tx, sql`${statement} LIMIT ${maxProblems}::int`);
      problems.push(...rows.map((row) => toProblem(check, row)));
    }
    return problems.slice(0, maxProblems);
  });
}

const weak: ReadonlySet<Check> = new Set(['fallback_summary', 'capped_summary', 'orphan_debt']);

function toProblem(check: Check, row: FoundRecord): LcmProblem {
  return {
    check,
    severity: weak.has(check) ? 'weak' : 'broken',
    summaryId: row.summary_id,
    messageId: row.message_id,
  };
}

function checks(sessionId: string): [Check, SQL][] {
  return [
    ...coverageChecks(sessionId),
    ['item_out_of_order', outOfOrder(sessionId)],
    ...shapeChecks(sessionId),
    ['edge_order', edgeOrder(sessionId)],
    ['orphan_debt', orphanDebt(sessionId)],
    ['fallback_summary', weakText(sessionId, 'fallback')],
    ['capped_summary', weakText(sessionId, 'capped')],
  ];
}

/** Every message that came from outside and was not taken back: one that stands for no other row of the session. */
function originals(sessionId: string): SQL {
  return sql`original AS (
      SELECT m.id, m.seq, m.archived_by FROM messages m
      WHERE m.session_id = ${sessionId} AND m.kind <> 'summary' AND (m.active = 1 OR m.compacted = 1)
        AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.session_id = ${sessionId} AND o.id = m.replaces))`;
}

/** How often the context reaches each message: by its live row or the live row that stands for it, and under its items. */
function reached(sessionId: string): SQL {
  return sql`nodes AS (
      SELECT i.summary_id AS top, i.summary_id FROM lcm_context_items i WHERE i.session_id = ${sessionId} AND i.active = 1
      UNION
      SELECT n.top, s.source_summary_id FROM nodes n
      JOIN lcm_summary_sources s ON s.session_id = ${sessionId} AND s.summary_id = n.summary_id
    ), live AS (
      SELECT m.id AS row_id, m.id, m.replaces, 0 AS level FROM messages m
      WHERE m.session_id = ${sessionId} AND m.active = 1 AND m.kind <> 'summary'
      UNION ALL
      SELECT l.row_id, o.id, o.replaces, l.level + 1 FROM live l
      JOIN messages o ON o.session_id = ${sessionId} AND o.id = l.replaces
    ), reached AS (
      SELECT id FROM (SELECT DISTINCT ON (row_id) row_id, id FROM live ORDER BY row_id, level DESC) root
      UNION ALL
      SELECT e.message_id FROM nodes n
      JOIN lcm_summary_messages e ON e.session_id = ${sessionId} AND e.summary_id = n.summary_id
    ), counted AS (SELECT id, count(*) AS times FROM reached GROUP BY id)`;
}

function coverageChecks(sessionId: string): [Check, SQL][] {
  const ground = sql`WITH RECURSIVE ${originals(sessionId)}, ${reached(sessionId)}, chapter AS (
      SELECT coalesce(max(c.boundary_seq), 0) AS seq FROM lcm_chapters c WHERE c.session_id = ${sessionId})`;
  // Another engine's new chapter archived rows under no summary: they were set aside before this engine came.
  const missing = sql`FROM original o CROSS JOIN chapter LEFT JOIN counted c ON c.id = o.id
      WHERE c.id IS NULL AND o.seq >= chapter.seq AND NOT EXISTS (SELECT 1 FROM compactions k
        WHERE k.session_id = ${sessionId} AND k.id = o.archived_by AND k.engine <> 'lcm'
          AND coalesce(cardinality(k.written_rows), 0) = 0 AND NOT EXISTS (SELECT 1 FROM lcm_context_items i
            WHERE i.session_id = ${sessionId} AND i.created_by = k.id))`;
  return [
    [
      'message_not_covered',
      sql`${ground} SELECT NULL AS summary_id, o.id AS message_id ${missing} ORDER BY o.seq`,
    ],
    [
      'newest_not_handled',
      sql`${ground} SELECT NULL AS summary_id, o.id AS message_id ${missing} AND o.seq = (SELECT max(seq) FROM original)`,
    ],
    [
      'message_covered_twice',
      sql`${ground} SELECT NULL AS summary_id, id AS message_id FROM counted WHERE times > 1 ORDER BY id`,
    ],
  ];
}

/** Each node with every leaf under it, itself included. */
function leavesUnder(sessionId: string): SQL {
  return sql`under AS (
      SELECT s.id AS top, s.id FROM lcm_summaries s WHERE s.session_id = ${sessionId}
      UNION
      SELECT u.top, e.source_summary_id FROM under u
      JOIN lcm_summary_sources e ON e.session_id = ${sessionId} AND e.summary_id = u.id
    ), first_seq AS (
      SELECT u.top, min(m.seq) AS seq FROM under u
      JOIN lcm_summary_messages e ON e.session_id = ${sessionId} AND e.summary_id = u.id
      JOIN messages m ON m.session_id = ${sessionId} AND m.id = e.message_id GROUP BY u.top)`;
}

function outOfOrder(sessionId: string): SQL {
  return sql`WITH RECURSIVE ${leavesUnder(sessionId)}
      SELECT i.summary_id, NULL::bigint AS message_id FROM lcm_context_items i
      LEFT JOIN first_seq f ON f.top = i.summary_id
      WHERE i.session_id = ${sessionId} AND i.active = 1 AND i.ordinal IS DISTINCT FROM f.seq ORDER BY i.ordinal`;
}

function edgeOrder(sessionId: string): SQL {
  return sql`WITH RECURSIVE ${leavesUnder(sessionId)}, edge AS (
      SELECT e.summary_id, e.ord, m.seq FROM lcm_summary_messages e
      JOIN messages m ON m.session_id = ${sessionId} AND m.id = e.message_id WHERE e.session_id = ${sessionId}
      UNION ALL
      SELECT e.summary_id, e.ord, f.seq FROM lcm_summary_sources e
      JOIN first_seq f ON f.top = e.source_summary_id WHERE e.session_id = ${sessionId})
    SELECT DISTINCT summary_id, NULL::bigint AS message_id FROM (
      SELECT summary_id, seq <= lag(seq) OVER (PARTITION BY summary_id ORDER BY ord) AS is_back FROM edge) ordered
    WHERE is_back ORDER BY summary_id`;
}

function shapeChecks(sessionId: string): [Check, SQL][] {
  const node = sql`WITH source AS (
      SELECT e.summary_id, s.* FROM lcm_summary_sources e
      JOIN lcm_summaries s ON s.session_id = ${sessionId} AND s.id = e.source_summary_id WHERE e.session_id = ${sessionId}
    ), sum AS (
      SELECT summary_id, count(*) AS sources, min(depth) AS least_depth, max(depth) AS most_depth, min(earliest_at) AS earliest_at,
        max(latest_at) AS latest_at, sum(descendant_count + 1) AS descendants, sum(tokens + descendant_tokens) AS tokens,
        sum(source_message_tokens) AS message_tokens FROM source GROUP BY summary_id
    ), node AS (
      SELECT s.*, sum.sources, sum.least_depth, sum.most_depth, sum.earliest_at AS first_at, sum.latest_at AS last_at,
        sum.descendants, sum.tokens AS under_tokens, sum.message_tokens,
        (SELECT count(*) FROM lcm_summary_messages e WHERE e.session_id = s.session_id AND e.summary_id = s.id) AS message_edges
      FROM lcm_summaries s LEFT JOIN sum ON sum.summary_id = s.id WHERE s.session_id = ${sessionId})`;
  const where = (condition: string) =>
    sql`${node} SELECT node.id AS summary_id, NULL::bigint AS message_id FROM node WHERE ${sql.raw(condition)} ORDER BY node.id`;
  return [
    [
      'leaf_shape',
      where(
        `kind = 'leaf' AND (message_edges = 0 OR sources IS NOT NULL OR descendant_count + descendant_tokens > 0)`,
      ),
    ],
    [
      'condensed_shape',
      where(
        `kind = 'condensed' AND (message_edges > 0 OR sources IS NULL OR least_depth <> depth - 1 OR most_depth <> depth - 1)`,
      ),
    ],
    ['time_range', where(`kind = 'condensed' AND (earliest_at <> first_at OR latest_at <> last_at)`)],
    [
      'counts',
      where(
        `kind = 'condensed' AND (descendant_count <> descendants OR descendant_tokens <> under_tokens OR source_message_tokens <> message_tokens)`,
      ),
    ],
    [
      'file_ids',
      where(
        `EXISTS (SELECT 1 FROM source WHERE source.summary_id = node.id AND NOT node.file_ids @> source.file_ids)`,
      ),
    ],
  ];
}

/** Runs while nobody works on it and no plan that pays it lies ready, or waits in a closed session. */
function orphanDebt(sessionId: string): SQL {
  return sql`SELECT NULL AS summary_id, NULL::bigint AS message_id
      FROM lcm_compaction_debt d JOIN sessions s ON s.id = d.session_id
      WHERE d.session_id = ${sessionId} AND ((d.pending AND s.closed_at IS NOT NULL)
        OR (d.running AND (s.lease_until IS NULL OR s.lease_until <= clock_timestamp())
          AND (s.preparing_until IS NULL OR s.preparing_until <= clock_timestamp())
          AND NOT EXISTS (SELECT 1 FROM prepared_compactions p WHERE p.session_id = d.session_id)))`;
}

function weakText(sessionId: string, escalation: 'fallback' | 'capped'): SQL {
  return sql`SELECT s.id AS summary_id, NULL::bigint AS message_id FROM lcm_summaries s
      WHERE s.session_id = ${sessionId} AND s.escalation = ${escalation} AND s.superseded_by IS NULL
      ORDER BY s.depth DESC, s.id`;
}

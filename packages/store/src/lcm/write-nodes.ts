/** lcm_summaries and their edges. */
import { GatewayError, type LcmNewSummary } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, runOne, together, type Transaction } from '../database.ts';
import { vectorOf } from '../search/tokens.ts';

/** A vector of more is refused by Postgres at 1 MB; no summary of ours is a tenth as long, one taken over may be. */
const searchedCharacters = 100_000;

/**
 * Write nodes with their edges, three statements whatever their number. A node that is there already is left as it is.
 * throws  input_invalid when a message or source is missing, a covered message is live, or depths do not fit
 */
export async function writeNodes(
  tx: Transaction,
  sessionId: string,
  summaries: readonly LcmNewSummary[],
): Promise<void> {
  if (summaries.length === 0) return;
  for (const summary of summaries) refuseUnlessShaped(sessionId, summary);
  await together(() => [
    insertNodes(tx, sessionId, summaries),
    insertMessageEdges(tx, sessionId, summaries),
    insertSourceEdges(tx, sessionId, summaries),
  ]);
}

function refuseUnlessShaped(sessionId: string, summary: LcmNewSummary): void {
  const { kind, depth, messageIds, sourceIds } = summary;
  const isLeaf = kind === 'leaf' && depth === 0 && messageIds.length > 0 && sourceIds.length === 0;
  const isCondensed = kind === 'condensed' && depth > 0 && messageIds.length === 0 && sourceIds.length > 0;
  if (isLeaf || isCondensed) return;
  throw refusal(
    sessionId,
    `a ${kind} of depth ${depth} has ${messageIds.length} messages and ${sourceIds.length} sources`,
  );
}

function refusal(sessionId: string, problem: string): GatewayError {
  return new GatewayError(
    'input_invalid',
    `the summary graph of session ${sessionId} was not changed: ${problem}`,
  );
}

function insertNodes(
  tx: Transaction,
  sessionId: string,
  summaries: readonly LcmNewSummary[],
): Promise<unknown> {
  const records = summaries.map((summary) => toRecord(sessionId, summary));
  return run(
    tx,
    sql`INSERT INTO lcm_summaries (session_id, id, kind, depth, content, tokens, earliest_at, latest_at, descendant_count,
          descendant_tokens, source_message_tokens, file_ids, provider, model, escalation, tsv)
        SELECT ${sessionId}::text, r.id, r.kind, r.depth, r.content, r.tokens, r.earliest_at, r.latest_at, r.descendant_count,
          r.descendant_tokens, r.source_message_tokens, r.file_ids, r.provider, r.model, r.escalation, r.tsv::tsvector
        FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb) AS r(id text, kind text, depth int, content text, tokens int,
          earliest_at timestamptz, latest_at timestamptz, descendant_count int, descendant_tokens bigint,
          source_message_tokens bigint, file_ids text[], provider text, model text, escalation text, tsv text)
        ON CONFLICT (session_id, id) DO NOTHING`,
    'lcm_insert_nodes',
  );
}

function toRecord(sessionId: string, summary: LcmNewSummary) {
  return {
    id: summary.id,
    kind: summary.kind,
    depth: summary.depth,
    content: summary.content,
    tokens: Math.round(summary.tokens),
    earliest_at: summary.earliestAt,
    latest_at: summary.latestAt,
    descendant_count: summary.descendantCount,
    descendant_tokens: Math.round(summary.descendantTokens),
    source_message_tokens: Math.round(summary.sourceMessageTokens),
    file_ids: summary.fileIds,
    provider: summary.provider,
    model: summary.model,
    escalation: summary.escalation,
    // A plan made ahead was kept as JSON: its moments are texts.
    tsv: vectorOf(sessionId, summary.content.slice(0, searchedCharacters), new Date(summary.latestAt)),
  };
}

/**
 * A row that stands for another one is followed to the row it came from: what was said is under the leaf once, whatever
 * became of it. The rows are archived before. Each step up is looked up by itself: a join would read the whole session.
 */
async function insertMessageEdges(
  tx: Transaction,
  sessionId: string,
  summaries: readonly LcmNewSummary[],
): Promise<void> {
  const edges = summaries.flatMap(({ id, messageIds }) =>
    messageIds.map((messageId, ord) => ({ id, ord, messageId })),
  );
  if (edges.length === 0) return;
  const seen = await runOne<{ found: number; live: number }>(
    tx,
    sql`WITH RECURSIVE chain AS (
          SELECT e.summary_id, e.ord, 0 AS level, m.id, m.replaces, m.active
          FROM unnest(${sql.param(edges.map(({ id }) => id))}::text[], ${sql.param(edges.map(({ ord }) => ord))}::int[],
                      ${sql.param(edges.map(({ messageId }) => messageId))}::bigint[]) AS e(summary_id, ord, message_id)
          JOIN messages m ON m.session_id = ${sessionId} AND m.id = e.message_id
          UNION ALL
          SELECT c.summary_id, c.ord, c.level + 1, o.id, o.replaces, o.active
          FROM chain c, LATERAL (SELECT m.id, m.replaces, m.active FROM messages m
            WHERE m.session_id = ${sessionId} AND m.id = c.replaces LIMIT 1) o
          WHERE c.replaces IS NOT NULL
        ), roots AS (
          SELECT DISTINCT ON (summary_id, ord) summary_id, ord, id FROM chain ORDER BY summary_id, ord, level DESC
        ), written AS (
          INSERT INTO lcm_summary_messages (session_id, summary_id, ord, message_id)
          SELECT ${sessionId}::text, summary_id, ord, id FROM roots ON CONFLICT DO NOTHING
        )
        SELECT (SELECT count(*) FROM roots)::int AS found, (SELECT count(*) FROM chain WHERE active = 1)::int AS live`,
    'lcm_insert_message_edges',
  );
  if (seen?.found !== edges.length)
    throw refusal(sessionId, `${edges.length - (seen?.found ?? 0)} messages do not exist`);
  if (seen.live > 0) throw refusal(sessionId, `${seen.live} messages under a new leaf are still live`);
}

async function insertSourceEdges(
  tx: Transaction,
  sessionId: string,
  summaries: readonly LcmNewSummary[],
): Promise<void> {
  const edges = summaries.flatMap(({ id, sourceIds }) =>
    sourceIds.map((sourceId, ord) => ({ id, ord, sourceId })),
  );
  if (edges.length === 0) return;
  const seen = await runOne<{ found: number }>(
    tx,
    sql`WITH fitting AS (
          SELECT e.summary_id, e.ord, e.source_id
          FROM unnest(${sql.param(edges.map(({ id }) => id))}::text[], ${sql.param(edges.map(({ ord }) => ord))}::int[],
                      ${sql.param(edges.map(({ sourceId }) => sourceId))}::text[]) AS e(summary_id, ord, source_id)
          JOIN lcm_summaries node ON node.session_id = ${sessionId} AND node.id = e.summary_id
          JOIN lcm_summaries source ON source.session_id = ${sessionId} AND source.id = e.source_id
          WHERE source.depth = node.depth - 1
        ), written AS (
          INSERT INTO lcm_summary_sources (session_id, summary_id, ord, source_summary_id)
          SELECT ${sessionId}::text, summary_id, ord, source_id FROM fitting ON CONFLICT DO NOTHING
        )
        SELECT (SELECT count(*) FROM fitting)::int AS found`,
    'lcm_insert_source_edges',
  );
  const missing = edges.length - (seen?.found ?? 0);
  if (missing > 0)
    throw refusal(sessionId, `${missing} sources do not exist or are not one depth below their node`);
}

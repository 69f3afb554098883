/** messages: full text by the search pieces, regular expressions over the newest rows. */
import type { LcmMessageHit, RowKind, Role } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { run, runOne, type Transaction } from '../database.ts';
import type { Ranked } from '../search/rank-candidates.ts';
import { sessionLexeme } from '../search/tokens.ts';
import {
  type Ground,
  matchPlace,
  maxRanked,
  maxScanned,
  placeOf,
  snippetAt,
  withinTime,
} from './grep-ground.ts';
import { messageText } from './message-text.ts';

/** Hits that are looked at without a time window, newest first. */
const maxCandidates = 2_000;

interface HitRecord {
  session_id: string;
  id: number;
  seq: number;
  role: Role;
  kind: RowKind;
  sender_name: string | null;
  sent_at: Date;
  active: number;
  snippet: string;
  covered_by: string | null;
  rank: number;
}

const coveredBy = sql.raw(`(SELECT e.summary_id FROM lcm_summary_messages e
  JOIN lcm_summaries s ON s.session_id = e.session_id AND s.id = e.summary_id
  WHERE e.session_id = hit.session_id AND e.message_id = hit.id
  ORDER BY s.superseded_by IS NULL DESC, s.created_at DESC LIMIT 1)`);

const hitColumns = sql.raw(
  'm.session_id, m.id, m.seq, m.role, m.kind, m.sender_name, m.sent_at, m.active, m.parts',
);

/** The lexeme of each session makes the GIN index alone find the scope's rows; a time window looks at all of them. */
export async function grepMessages(
  tx: Transaction,
  ground: Ground,
  query: { terms: string; words: readonly string[] },
): Promise<LcmMessageHit[]> {
  const { sessions, grep } = ground;
  if (sessions.length === 0) return [];
  const named = sessions.map((id) => `'${sessionLexeme(id)}'`).join(' | ');
  const isWindowed = grep.since !== undefined || grep.before !== undefined;
  const rows = await run<HitRecord>(
    tx,
    sql`WITH candidate AS MATERIALIZED (
          SELECT DISTINCT p.session_id, p.message_id FROM message_search p
          WHERE p.session_id = ANY(${sql.param([...sessions])}::text[])
            AND p.tsv @@ ${`(${named}) & (${query.terms})`}::tsquery
          ORDER BY p.message_id DESC LIMIT ${isWindowed ? null : maxCandidates}::int
        ), hit AS (
          SELECT ${hitColumns} FROM candidate c JOIN messages m ON m.session_id = c.session_id AND m.id = c.message_id
          WHERE (m.active = 1 OR m.compacted = 1) AND ${withinTime(sql`m.sent_at`, ground)}
          ORDER BY m.sent_at DESC, m.id DESC LIMIT ${grep.sort === 'recency' ? grep.limit : maxRanked}::int
        ), ranked AS (
          SELECT hit.*, ${rankOf(grep.sort, query.terms)}::float8 AS rank FROM hit
        ), hit_first AS (
          SELECT * FROM ranked ORDER BY ${orderOf(grep.sort)}, sent_at DESC, id DESC LIMIT ${grep.limit}::int)
        SELECT hit.session_id, hit.id, hit.seq, hit.role, hit.kind, hit.sender_name, hit.sent_at, hit.active, hit.rank,
          ${coveredBy} AS covered_by, ${snippetAt(placeOf(query.words))} AS snippet
        FROM hit_first hit, LATERAL (SELECT ${messageText} AS text FROM (SELECT hit.parts) m) body`,
  );
  return rows.map(toHit);
}

/** Rows that a search ranked, as hits; those out of the time window are left out. */
export async function grepRanked(
  tx: Transaction,
  ground: Ground,
  { hits, words }: { hits: readonly Ranked[]; words: readonly string[] },
): Promise<LcmMessageHit[]> {
  const column = <Value>(of: (hit: Ranked) => Value) => sql.param(hits.map(of));
  const rows = await run<HitRecord>(
    tx,
    sql`WITH hit AS (
          SELECT ${hitColumns}, h.rank
          FROM unnest(${column(({ candidate }) => candidate.sessionId)}::text[],
                      ${column(({ candidate }) => candidate.rowId)}::bigint[],
                      ${column(({ score }) => score)}::float8[]) AS h(session_id, id, rank)
          JOIN messages m ON m.session_id = h.session_id AND m.id = h.id
          WHERE ${withinTime(sql`m.sent_at`, ground)})
        SELECT hit.session_id, hit.id, hit.seq, hit.role, hit.kind, hit.sender_name, hit.sent_at, hit.active, hit.rank,
          ${coveredBy} AS covered_by, ${snippetAt(placeOf(words))} AS snippet
        FROM hit, LATERAL (SELECT ${messageText} AS text FROM (SELECT hit.parts) m) body`,
  );
  return rows.map(toHit);
}

/** The best piece of a message counts. By recency nothing is ranked: planning it for 16 partitions costs more than the search. */
function rankOf(sort: Ground['grep']['sort'], terms: string): SQL {
  if (sort === 'recency') return sql.raw('0');
  return sql`(SELECT max(ts_rank_cd(p.tsv, ${terms}::tsquery, 1)) FROM message_search p
    WHERE p.session_id = hit.session_id AND p.message_id = hit.id)`;
}

function orderOf(sort: Ground['grep']['sort']): SQL {
  if (sort === 'relevance') return sql.raw('rank DESC');
  if (sort === 'hybrid')
    return sql.raw('rank / (1 + 0.001 * extract(epoch FROM now() - sent_at) / 3600) DESC');
  return sql.raw('sent_at DESC');
}

/**
 * The newest rows one after the other, until there are enough hits. Rows that stand for others are left out: what was said is
 * tried once. `scanned` is more than the cap when older rows were left out.
 */
export async function scanMessages(
  tx: Transaction,
  ground: Ground,
  pattern: string,
): Promise<{ hits: LcmMessageHit[]; scanned: number }> {
  const { grep } = ground;
  const newest = newestRows(ground);
  const rows = await run<HitRecord>(
    tx,
    // A row's id rises with its time: the key alone gives the newest, and the joined rows are read no further than needed.
    sql`WITH hit AS MATERIALIZED (
          SELECT m.*, body.text FROM (${newest}) newest
          JOIN LATERAL (SELECT ${hitColumns} FROM messages m WHERE m.session_id = newest.session_id AND m.id = newest.id
            AND (m.active = 1 OR m.compacted = 1) AND m.replaces IS NULL) m ON true,
          LATERAL (SELECT ${messageText} AS text) body
          WHERE body.text ~ ${`(?in)${pattern}`} ORDER BY newest.id DESC LIMIT ${grep.limit}::int
        )
        SELECT hit.session_id, hit.id, hit.seq, hit.role, hit.kind, hit.sender_name, hit.sent_at, hit.active, 0::float8 AS rank,
          ${coveredBy} AS covered_by, ${snippetAt(matchPlace(pattern))} AS snippet
        FROM hit`,
  );
  const total = await runOne<{ scanned: number }>(
    tx,
    sql`SELECT count(*)::int AS scanned FROM (${newest}) newest`,
  );
  return { hits: rows.map(toHit), scanned: total?.scanned ?? 0 };
}

/** Ids of the rows that are tried; a time window is looked up in the rows themselves. */
function newestRows(ground: Ground): SQL {
  const { grep, sessions } = ground;
  const isWindowed = grep.since !== undefined || grep.before !== undefined;
  return sql`SELECT m.session_id, m.id FROM messages m WHERE m.session_id = ANY(${sql.param([...sessions])}::text[])
    ${isWindowed ? sql`AND ${withinTime(sql`m.sent_at`, ground)}` : sql``}
    ORDER BY m.id DESC LIMIT ${maxScanned + 1}::int`;
}

function toHit(row: HitRecord): LcmMessageHit {
  return {
    kind: 'message',
    sessionId: row.session_id,
    messageId: row.id,
    seq: row.seq,
    role: row.role,
    rowKind: row.kind,
    sender: row.sender_name,
    sentAt: row.sent_at,
    state: row.active === 1 ? 'live' : 'archived',
    coveredBy: row.covered_by,
    snippet: row.snippet,
    rank: row.rank,
  };
}

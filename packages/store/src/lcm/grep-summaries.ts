/** lcm_summaries: full text by their own vector, regular expressions over the newest. Superseded ones are left out. */
import type { LcmSummaryHit } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
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
import { type HeadRecord, headColumns, toHead } from './summary-record.ts';

interface HitRecord extends HeadRecord {
  session_id: string;
  snippet: string;
  rank: number;
}

export async function grepSummaries(
  tx: Transaction,
  ground: Ground,
  query: { terms: string; words: readonly string[] },
): Promise<LcmSummaryHit[]> {
  const { sessions, grep } = ground;
  if (sessions.length === 0) return [];
  const named = sessions.map((id) => `'${sessionLexeme(id)}'`).join(' | ');
  const rows = await run<HitRecord>(
    tx,
    sql`WITH hit AS (
          SELECT s.session_id, ${headColumns}, s.content AS text, s.tsv FROM lcm_summaries s
          WHERE s.session_id = ANY(${sql.param([...sessions])}::text[]) AND s.superseded_by IS NULL
            AND s.tsv @@ ${`(${named}) & (${query.terms})`}::tsquery AND ${withinTime(sql`s.latest_at`, ground)}
          ORDER BY s.latest_at DESC, s.id LIMIT ${grep.sort === 'recency' ? grep.limit : maxRanked}::int
        )
        SELECT hit.*, ${grep.sort === 'recency' ? sql.raw('0') : sql`ts_rank_cd(tsv, ${query.terms}::tsquery, 1)`}::float8 AS rank, ${snippetAt(placeOf(query.words))} AS snippet
        FROM hit`,
  );
  return rows.map(toHit);
}

export async function scanSummaries(
  tx: Transaction,
  ground: Ground,
  pattern: string,
): Promise<{ hits: LcmSummaryHit[]; scanned: number }> {
  const { sessions, grep } = ground;
  const rows = await run<HitRecord & { scanned: number }>(
    tx,
    sql`WITH newest AS MATERIALIZED (
          SELECT s.session_id, ${headColumns}, s.content AS text FROM lcm_summaries s
          WHERE s.session_id = ANY(${sql.param([...sessions])}::text[]) AND s.superseded_by IS NULL
            AND ${withinTime(sql`s.latest_at`, ground)}
          ORDER BY s.latest_at DESC, s.id LIMIT ${maxScanned + 1}::int
        ), hit AS (
          SELECT * FROM newest WHERE text ~ ${`(?in)${pattern}`} ORDER BY latest_at DESC, id LIMIT ${grep.limit}::int
        )
        SELECT hit.*, 0::float8 AS rank, ${snippetAt(matchPlace(pattern))} AS snippet, total.scanned
        FROM (SELECT count(*)::int AS scanned FROM newest) total LEFT JOIN hit ON true`,
  );
  const scanned = rows[0]?.scanned ?? 0;
  return { hits: rows.filter((row) => row.id !== null).map(toHit), scanned };
}

function toHit(row: HitRecord): LcmSummaryHit {
  return {
    kind: 'summary',
    sessionId: row.session_id,
    summary: toHead(row),
    snippet: row.snippet,
    rank: row.rank,
  };
}

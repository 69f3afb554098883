/** Full-text search over live and archived rows. */
import type { SearchHit, SearchScope, TranscriptStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, type Transaction, transaction } from '../database.ts';
import { around } from '../transcript/around.ts';
import { type MessageRecord, messageColumns, toMessage } from '../transcript/message-record.ts';
import { parseQuery, type SearchTerm } from './parse-query.ts';
import { sessionsInScope } from './search-scope.ts';
import { sessionLexeme } from './tokens.ts';

type SearchArguments =
  Parameters<TranscriptStore['search']> extends [SearchScope, ...infer Rest] ? Rest : never;

interface Wanted {
  sessionId: string;
  scope: readonly string[];
  terms: readonly string[];
  join: '&' | '|';
  limit: number;
  liveOfOwnSession: boolean;
}

interface HitRecord extends MessageRecord {
  session_id: string;
  active: number;
  rank: number;
}

/**
 * Rows that hold all terms, best first; when there are fewer than `limit`, then those that hold some of them (more of
 * them first), where words also find longer words. Withdrawn rows are never found. Stops after 5 s with a
 * retryable database_error.
 */
export function searchTranscript(
  db: Database,
  scope: SearchScope,
  ...[query, options]: SearchArguments
): Promise<readonly SearchHit[]> {
  const terms = parseQuery(query);
  if (terms.length === 0 || options.limit < 1) return Promise.resolve([]);
  return transaction(db, async (tx) => {
    await run(tx, sql`SET LOCAL statement_timeout = '5s'`);
    const sessions = await sessionsInScope(tx, scope.sessionId);
    if (sessions.length === 0) return [];
    const found = await findRows(tx, terms, { ...options, sessionId: scope.sessionId, scope: sessions });
    const hits: SearchHit[] = [];
    for (const record of found) hits.push(await withNeighbours(tx, record, options.neighbours));
    return hits;
  });
}

type Ground = Omit<Wanted, 'terms' | 'join'>;

async function findRows(tx: Transaction, terms: readonly SearchTerm[], ground: Ground): Promise<HitRecord[]> {
  const exact = terms.map((term) => term.exact);
  const loose = terms.map((term) => term.loose);
  const all = await matchRows(tx, { ...ground, terms: exact, join: '&' });
  const isWider = terms.length > 1 || loose[0] !== exact[0];
  if (all.length >= ground.limit || !isWider) return all;
  const known = new Set(all.map((record) => record.id));
  const some = await matchRows(tx, { ...ground, terms: loose, join: '|' });
  return [...all, ...some.filter((record) => !known.has(record.id))].slice(0, ground.limit);
}

/**
 * The lexeme of each session makes the GIN index alone find the scope's rows. A long message is several pieces: its
 * best one counts. Rank divides by the logarithm of the length, or long tool output would win over a short answer.
 */
function matchRows(tx: Transaction, wanted: Wanted): Promise<HitRecord[]> {
  const words = wanted.terms.map((term) => `(${term})`).join(` ${wanted.join} `);
  const sessions = wanted.scope.map((id) => `'${sessionLexeme(id)}'`).join(' | ');
  return run<HitRecord>(
    tx,
    sql`WITH hits AS (
        SELECT piece.session_id, piece.message_id, max(ts_rank_cd(piece.tsv, ${words}::tsquery, 1)) AS rank,
          max((SELECT count(*) FROM unnest(${sql.param([...wanted.terms])}::text[]) term WHERE piece.tsv @@ term::tsquery)) AS terms
        FROM message_search piece
        WHERE piece.session_id = ANY(${sql.param([...wanted.scope])}::text[])
          AND piece.tsv @@ ${`(${sessions}) & (${words})`}::tsquery
        GROUP BY piece.session_id, piece.message_id
      )
      SELECT ${messageColumns}, m.session_id, m.active, hits.rank::float8 AS rank
      FROM hits JOIN messages m ON m.session_id = hits.session_id AND m.id = hits.message_id
      WHERE (m.active = 1 OR m.compacted = 1)
        AND (${wanted.liveOfOwnSession}::boolean OR m.active = 0 OR m.session_id <> ${wanted.sessionId})
      ORDER BY hits.terms DESC, hits.rank DESC, m.sent_at DESC, m.id DESC
      LIMIT ${wanted.limit}::int`,
  );
}

async function withNeighbours(tx: Transaction, record: HitRecord, neighbours: number): Promise<SearchHit> {
  const row = toMessage(record);
  const rows =
    neighbours > 0 ? await around(tx, { sessionId: record.session_id, rowId: row.id, neighbours }) : [];
  return {
    sessionId: record.session_id,
    row,
    state: record.active === 1 ? 'live' : 'archived',
    before: rows.filter((other) => other.seq < row.seq),
    after: rows.filter((other) => other.seq > row.seq),
    rank: record.rank,
  };
}

/** The rows of a scope that hold any of the terms, by one look into the index. */
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { sessionLexeme } from './tokens.ts';

/** What a row may hold: found in both ways it counts fully, loosely found less. */
export interface Wanted {
  exact: string;
  loose: string;
}

/** One piece of a row that holds at least one of the wanted. */
export interface Candidate {
  sessionId: string;
  rowId: number;
  seq: number;
  piece: number;
  sender: string | null;
  sentAt: number;
  /** Different lexemes of the piece. */
  size: number;
  /** Bit n is set where the n-th wanted is in it as written; loosely. */
  exact: number;
  loose: number;
  /** In the prompt of the session it belongs to, word for word. */
  isLive: boolean;
  /** About how many rows the whole scope has; the same in each candidate. */
  rows: number;
}

export interface CandidateWish {
  scope: readonly string[];
  /** At most 31. */
  wanted: readonly Wanted[];
}

/** Newest first; ranking reads each of them. */
const maxCandidates = 2_000;

/**
 * The lexeme of each session makes the GIN index alone find the scope's rows. Concatenation unpacks a long vector once:
 * each `@@` would do it again. Sessions are named
 * for the rows too, so that other partitions are not even planned for; and only there, since ids are unique over all of them:
 * named in the join as well they count as two conditions, the planner takes a session for one row, and reads all of it for each.
 */
export function findCandidates(tx: Transaction, { scope, wanted }: CandidateWish): Promise<Candidate[]> {
  const sessions = scope.map((id) => `'${sessionLexeme(id)}'`).join(' | ');
  const any = wanted.map(({ loose }) => `(${loose})`).join(' | ');
  return run<Candidate>(
    tx,
    sql`WITH hit AS (
        SELECT p.session_id, p.message_id, p.piece, p.tsv || ''::tsvector AS tsv
        FROM (SELECT * FROM message_search p
              WHERE p.session_id = ANY(${sql.param([...scope])}::text[])
                AND p.tsv @@ ${`(${sessions}) & (${any})`}::tsquery
              ORDER BY p.message_id DESC LIMIT ${maxCandidates}::int) p
        OFFSET 0
      ), covered AS MATERIALIZED (
        SELECT b.session_id, unit_id FROM dcp_block b, unnest(b.unit_ids) unit_id
        WHERE b.session_id = ANY(${sql.param([...scope])}::text[]) AND b.status = 'on'
      )
      SELECT hit.session_id AS "sessionId", hit.message_id AS "rowId", m.seq, hit.piece, m.sender_name AS sender,
        (extract(epoch FROM m.sent_at) * 1000)::float8 AS "sentAt", length(hit.tsv) AS size, m.active = 1 AND NOT ${isCovered} AS "isLive",
        (SELECT sum(next_seq) / 1024 FROM sessions WHERE id = ANY(${sql.param([...scope])}::text[]))::float8 AS rows,
        ${bits(wanted.map(({ exact }) => exact))} AS exact, ${bits(wanted.map(({ loose }) => loose))} AS loose
      FROM hit JOIN messages m ON m.id = hit.message_id
      WHERE m.session_id = ANY(${sql.param([...scope])}::text[]) AND (m.active = 1 OR m.compacted = 1)`,
  );
}

/**
 * Blocks of the model's own compression hide rows and leave them live: a unit is named by its first row, and the results of
 * a call belong to the unit before them.
 */
const isCovered = sql`CASE WHEN EXISTS (SELECT 1 FROM covered) THEN
    (m.session_id, m.id) IN (SELECT session_id, unit_id FROM covered)
    OR (m.session_id, (SELECT max(r.unit_id) FROM dcp_ref r WHERE r.session_id = m.session_id AND r.unit_id <= m.id))
      IN (SELECT session_id, unit_id FROM covered)
  ELSE false END`;

function bits(queries: readonly string[]) {
  const each = queries.map(
    (query, index) => sql`((hit.tsv @@ ${query}::tsquery)::int << ${sql.raw(String(index))})`,
  );
  return sql`(${sql.join(each, sql` | `)})`;
}

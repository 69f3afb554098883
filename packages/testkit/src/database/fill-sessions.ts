/** Many sessions at once, for benches that ask what other people's rows cost. */
import type pg from 'pg';
import { withClient } from './with-client.ts';

export interface SessionsToFill {
  /** Sessions already there from former calls; the new ones are numbered on. */
  after: number;
  sessions: number;
  /** Transcript rows of each: the newest quarter live, the rest archived. */
  rows: number;
  /** Their search pieces are those of this session again and again, so that its words are everywhere; else made-up words. */
  wordsOf?: string;
}

/** Words in the search index: as many different ones as a large chat has. */
const vocabulary = 20_000;
const wordsPerRow = 12;
/** A transaction of all of a large database would keep every change of its indexes waiting. */
const sessionsAtOnce = 5_000;

/** Version of the server, such as 18.4. */
export function readServerVersion(url: string): Promise<string> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version.split(' ')[0] ?? 'unknown';
  });
}

/**
 * Fill a migrated database with `local` sessions named other-N, set by set: chats, sessions, transcript rows and their
 * search pieces. Then statistics and visibility are brought up to date, as they would be in a database that grew slowly.
 */
export function fillSessions(url: string, wish: SessionsToFill): Promise<void> {
  return withClient(url, async (client) => {
    await client.query('SET synchronous_commit = off');
    if (wish.wordsOf !== undefined)
      await client.query(`CREATE TEMP TABLE piece AS ${piecesSql(wish.wordsOf)}`);
    const createIndexes = await dropWordIndexes(client);
    const end = wish.after + wish.sessions;
    for (let from = wish.after + 1; from <= end; from += sessionsAtOnce) {
      const range = [from, Math.min(end, from + sessionsAtOnce - 1)];
      await client.query(chatsSql, range);
      await client.query(sessionsSql, [...range, wish.rows]);
      await client.query(messagesSql, [...range, wish.rows]);
      await client.query(wish.wordsOf === undefined ? searchSql : copiedSearchSql, range);
    }
    await createIndexes();
    await settle(client);
  });
}

/** An index of words that takes millions of rows one by one needs many times as long as one that is built over them. */
async function dropWordIndexes(client: pg.Client): Promise<() => Promise<void>> {
  // An index of a partitioned table stands for those of its parts, and is defined for itself alone (`ON ONLY`).
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT relname AS name, replace(pg_get_indexdef(oid), ' ON ONLY ', ' ON ') AS definition FROM pg_class
     WHERE relkind IN ('i', 'I') AND NOT relispartition AND relnamespace = current_schema()::regnamespace
       AND relam = (SELECT oid FROM pg_am WHERE amname = 'gin')`,
  );
  for (const { name } of rows) await client.query(`DROP INDEX "${name}"`);
  return async () => {
    await client.query(`SET maintenance_work_mem = '512MB'`);
    for (const { definition } of rows) await client.query(definition);
  };
}

const chatsSql = `INSERT INTO chats (platform, account, chat_id, kind, session_id)
  SELECT 'local', 'local', 'other-' || s, 'direct', 'other-' || s FROM generate_series($1::int, $2::int) s`;

const sessionsSql = `INSERT INTO sessions (id, engine, platform, account, chat_kind, chat_row_id, next_seq)
  SELECT c.session_id, 'compressor', 'local', 'local', 'direct', c.id, 1024 * ($3::int + 1)
  FROM generate_series($1::int, $2::int) s JOIN chats c ON c.session_id = 'other-' || s`;

const messagesSql = `INSERT INTO messages (session_id, seq, role, kind, sent_at, turn_id, step, part, parts, tokens,
    active, compacted, archived_by)
  SELECT 'other-' || s, r * 1024, CASE r % 2 WHEN 1 THEN 'user' ELSE 'assistant' END,
    CASE r % 2 WHEN 1 THEN 'person' ELSE 'assistant' END, now() - (r || ' minutes')::interval, 'turn-' || (r + 1) / 2,
    (r + 1) % 2, 0, jsonb_build_array(jsonb_build_object('type', 'text', 'text', repeat('a line of talk ' || r || ' ', 12))),
    60, live, 1 - live, CASE live WHEN 0 THEN s END
  FROM generate_series($1::int, $2::int) s, generate_series(1, $3::int) r,
    LATERAL (SELECT (r > $3::int * 3 / 4)::int AS live) state`;

const searchSql = `INSERT INTO message_search (session_id, message_id, piece, tsv)
  SELECT m.session_id, m.id, 0, ('''session:' || m.session_id || ''' ' || words.list)::tsvector
  FROM generate_series($1::int, $2::int) s JOIN messages m ON m.session_id = 'other-' || s,
    LATERAL (SELECT string_agg('w' || (m.id * 7919 * w + w * w) % ${vocabulary} || ':' || w, ' ') AS list
             FROM generate_series(1, ${wordsPerRow}) w) words`;

const piecesSql = (sessionId: string): string =>
  `SELECT row_number() OVER () - 1 AS n, ts_delete(tsv, 'session:${sessionId}') AS tsv
   FROM message_search WHERE session_id = '${sessionId}'`;

const copiedSearchSql = `INSERT INTO message_search (session_id, message_id, piece, tsv)
  SELECT m.session_id, m.id, 0, piece.tsv || ('''session:' || m.session_id || '''')::tsvector
  FROM generate_series($1::int, $2::int) s JOIN messages m ON m.session_id = 'other-' || s
    JOIN piece ON piece.n = m.id * 7919 % (SELECT count(*) FROM piece)`;

async function settle(client: pg.Client): Promise<void> {
  await client.query('VACUUM ANALYZE');
  // Only an administrator may; without it a checkpoint may fall into the first measurements.
  await client.query('CHECKPOINT').catch(() => undefined);
}

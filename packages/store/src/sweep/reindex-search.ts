/** message_search: rows that were indexed in an older way get the vectors of today, session by session. */
import type { Part } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction, type Transaction } from '../database.ts';
import { indexMore, piecesOf } from '../search/index-rows.ts';
import { searchVersion } from '../search/tokens.ts';

/** Rows of one transaction: none holds locks for long. */
const batchRows = 200;

/** How many rows were indexed anew: about `mostRows`, and no session is left half done. */
export async function reindexSearch(db: Database, mostRows: number): Promise<number> {
  let done = 0;
  while (done < mostRows) {
    const session = await runOne<{ id: string }>(
      db,
      sql`SELECT id FROM sessions WHERE search_version < ${searchVersion}::smallint ORDER BY search_version, id LIMIT 1`,
      'session_to_reindex',
    );
    if (session === null) return done;
    done += await reindexSession(db, session.id);
  }
  return done;
}

/** A crash in between begins it anew: the version is written last. */
async function reindexSession(db: Database, sessionId: string): Promise<number> {
  let done = 0;
  for (let after = 0; ;) {
    const ids = await transaction(db, (tx) => reindexBatch(tx, sessionId, after));
    if (ids.length === 0) break;
    done += ids.length;
    after = ids.at(-1)!;
  }
  await run(
    db,
    sql`UPDATE sessions SET search_version = ${searchVersion}::smallint WHERE id = ${sessionId}`,
    'session_reindexed',
  );
  return done;
}

interface IndexedRow {
  id: number;
  parts: readonly Part[];
  said: string;
}

/**
 * Only rows that are in the index are indexed anew, behind a lock that an erasure waits for or has waited for: what it
 * took out of the index does not come back.
 */
async function reindexBatch(tx: Transaction, sessionId: string, after: number): Promise<number[]> {
  const rows = await run<IndexedRow>(
    tx,
    sql`SELECT m.id, m.parts, m.sent_at AS said FROM messages m
        WHERE m.session_id = ${sessionId} AND m.id > ${after}::bigint
          AND EXISTS (SELECT 1 FROM message_search s WHERE s.session_id = ${sessionId} AND s.message_id = m.id)
        ORDER BY m.id LIMIT ${batchRows}::int FOR SHARE OF m`,
    'rows_to_reindex',
  );
  const ids = rows.map(({ id }) => id);
  await run(
    tx,
    sql`DELETE FROM message_search WHERE session_id = ${sessionId} AND message_id = ANY(${sql.param(ids)}::bigint[])`,
    'old_pieces',
  );
  const parts = rows.map((row, part) => ({ part, parts: row.parts, said: new Date(row.said) }));
  const pieces = piecesOf(parts).filter(({ text }) => text !== '');
  await indexMore(tx, sessionId, { rows: rows.map(({ id }, part) => ({ id, part })), pieces });
  return ids;
}

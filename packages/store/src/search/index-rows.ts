/** Write the search pieces of new transcript rows. */
import { type Part, saidInParts } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { searchPieces, vectorOf } from './tokens.ts';

/** About 2 MB of vectors a statement: a message of 5 MB has 640 pieces. */
export const piecesAtOnce = 100;

/** A piece of the searchable text of a row that is about to be written; the row is named by its part. */
export interface SearchPiece {
  part: number;
  piece: number;
  text: string;
  said: Date;
}

/**
 * Pieces of rows that stand for themselves. Rows that `replace` another are not to be given: their origin is indexed.
 * What was said, called and answered is searchable; headers and sidecars are not.
 */
export function piecesOf(
  rows: readonly { part: number; parts: readonly Part[]; said: Date }[],
): SearchPiece[] {
  return rows.flatMap(({ part, parts, said }) =>
    searchPieces(saidInParts(parts)).map((text, piece) => ({ part, piece, text, said })),
  );
}

/**
 * A statement that writes pieces of the rows in `source`, a relation `w` with id and part: the index is written in the
 * statement that writes the rows, since looking them up by part costs more than all the rest (16 partitions, planned anew).
 */
export function insertPieces(sessionId: string, pieces: readonly SearchPiece[], source: SQL): SQL {
  return sql`INSERT INTO message_search (session_id, message_id, piece, tsv)
             SELECT ${sessionId}::text, w.id, u.piece, u.tsv::tsvector
             FROM unnest(${sql.param(pieces.map(({ part }) => part))}::int[],
                         ${sql.param(pieces.map(({ piece }) => piece))}::int[],
                         ${sql.param(pieces.map(({ text, said }) => vectorOf(sessionId, text, said)))}::text[]) AS u(part, piece, tsv)
             JOIN ${source} ON w.part = u.part
             ON CONFLICT DO NOTHING`;
}

/** Pieces beyond the first hundred, of rows that are written. */
export async function indexMore(
  tx: Transaction,
  sessionId: string,
  { rows, pieces }: { rows: readonly { id: number; part?: number }[]; pieces: readonly SearchPiece[] },
): Promise<void> {
  const ids = sql.param(rows.map((row) => row.id));
  const parts = sql.param(rows.map((row) => row.part ?? 0));
  const source = sql`unnest(${ids}::bigint[], ${parts}::int[]) AS w(id, part)`;
  for (let start = 0; start < pieces.length; start += piecesAtOnce) {
    const chunk = pieces.slice(start, start + piecesAtOnce);
    await run(tx, insertPieces(sessionId, chunk, source), 'index_more');
  }
}

/** Write the search pieces of new transcript rows. */
import type { Part } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { searchPieces, vectorOf } from './tokens.ts';

/** About 2 MB of vectors a statement: a message of 5 MB has 640 pieces. */
const piecesAtOnce = 100;

/**
 * Index rows that stand for themselves. Rows that `replace` another are not to be given: their origin is indexed.
 * Only what was said and what tools answered is searchable; headers, calls and sidecars are not.
 */
export async function indexRows(
  tx: Transaction,
  sessionId: string,
  rows: readonly { id: number; parts: readonly Part[] }[],
): Promise<void> {
  const pieces = rows.flatMap((row) =>
    searchPieces(searchableText(row.parts)).map((text, piece) => ({ messageId: row.id, piece, text })),
  );
  for (let start = 0; start < pieces.length; start += piecesAtOnce) {
    const chunk = pieces.slice(start, start + piecesAtOnce);
    await run(
      tx,
      sql`INSERT INTO message_search (session_id, message_id, piece, tsv)
          SELECT ${sessionId}::text, u.message_id, u.piece, u.tsv::tsvector
          FROM unnest(${sql.param(chunk.map((piece) => piece.messageId))}::bigint[],
                      ${sql.param(chunk.map((piece) => piece.piece))}::int[],
                      ${sql.param(chunk.map((piece) => vectorOf(sessionId, piece.text)))}::text[]) AS u(message_id, piece, tsv)
          ON CONFLICT DO NOTHING`,
      'index_rows',
    );
  }
}

/** What of a row can be found: texts, tool results and previews of payloads, joined by new lines. */
function searchableText(parts: readonly Part[]): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'tool_result') texts.push(part.text);
    else if (part.type === 'payload') texts.push(part.preview);
  }
  return texts.join('\n');
}

/** Write the search pieces of new transcript rows. */
import type { Part } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';
import { searchPieces, vectorOf } from './tokens.ts';

/** About 2 MB of vectors a statement: a message of 5 MB has 640 pieces. */
const piecesAtOnce = 100;

/**
 * Index rows of a step, which are named by their part: so the index can be sent without waiting for their ids. Rows must
 * stand for themselves. Rows that `replace` another are not to be given: their origin is indexed.
 * Only what was said and what tools answered is searchable; headers, calls and sidecars are not.
 */
export async function indexRows(
  tx: Transaction,
  at: { sessionId: string; turnId: string; step: number },
  rows: readonly { part: number; parts: readonly Part[] }[],
): Promise<void> {
  const pieces = rows.flatMap((row) =>
    searchPieces(searchableText(row.parts)).map((text, piece) => ({ part: row.part, piece, text })),
  );
  await together(() => {
    const sent: Promise<unknown>[] = [];
    for (let start = 0; start < pieces.length; start += piecesAtOnce) {
      sent.push(writePieces(tx, at, pieces.slice(start, start + piecesAtOnce)));
    }
    return sent;
  });
}

function writePieces(
  tx: Transaction,
  at: { sessionId: string; turnId: string; step: number },
  pieces: readonly { part: number; piece: number; text: string }[],
): Promise<unknown> {
  return run(
    tx,
    sql`INSERT INTO message_search (session_id, message_id, piece, tsv)
        SELECT m.session_id, m.id, u.piece, u.tsv::tsvector
        FROM unnest(${sql.param(pieces.map(({ part }) => part))}::int[],
                    ${sql.param(pieces.map(({ piece }) => piece))}::int[],
                    ${sql.param(pieces.map(({ text }) => vectorOf(at.sessionId, text)))}::text[]) AS u(part, piece, tsv)
        JOIN messages m ON m.session_id = ${at.sessionId} AND m.turn_id = ${at.turnId} AND m.step = ${at.step}::int
          AND m.part = u.part
        ON CONFLICT DO NOTHING`,
    'index_rows',
  );
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

/** Hits with their neighbours, in one statement. */
import { saidInParts, type SearchHit } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { type MessageRecord, messageColumns, toMessage } from '../transcript/message-record.ts';
import { matchPlace } from './match-place.ts';
import type { SearchTerm } from './parse-query.ts';
import type { Ranked } from './rank-candidates.ts';
import { pieceStart } from './tokens.ts';

export type Found = Ranked;

interface HitsWish {
  query: string;
  terms: readonly SearchTerm[];
  neighbours: number;
}

/** Neighbours as `around` gives them: rows that were taken back and rows that stand for another are left out. */
export async function readHits(
  tx: Transaction,
  found: readonly Found[],
  wish: HitsWish,
): Promise<SearchHit[]> {
  if (found.length === 0) return [];
  const beside = (order: 'DESC' | 'ASC') => sql`
    (SELECT b.id FROM messages b WHERE b.session_id = h.session_id AND b.seq ${sql.raw(order === 'ASC' ? '>' : '<')} h.seq
       AND (b.active = 1 OR b.compacted = 1) AND b.replaces IS NULL ORDER BY b.seq ${sql.raw(order)} LIMIT ${wish.neighbours}::int)`;
  const column = <Value>(of: (one: Found) => Value) => sql.param(found.map(of));
  const rows = await run<MessageRecord & { n: number }>(
    tx,
    sql`SELECT h.n::int AS n, ${messageColumns}
        FROM unnest(${column(({ candidate }) => candidate.sessionId)}::text[], ${column(({ candidate }) => candidate.rowId)}::bigint[],
                    ${column(({ candidate }) => candidate.seq)}::bigint[]) WITH ORDINALITY AS h(session_id, id, seq, n)
        CROSS JOIN LATERAL (SELECT h.id UNION ALL ${beside('DESC')} UNION ALL ${beside('ASC')}) near
        JOIN messages m ON m.session_id = h.session_id AND m.id = near.id
        ORDER BY h.n, m.seq`,
  );
  const byHit = Map.groupBy(rows, ({ n }) => n - 1);
  return found.flatMap((one, index) => toHit(one, (byHit.get(index) ?? []).map(toMessage), wish));
}

function toHit(
  { candidate, score }: Found,
  rows: ReturnType<typeof toMessage>[],
  wish: HitsWish,
): SearchHit[] {
  const row = rows.find(({ id }) => id === candidate.rowId);
  if (row === undefined) return [];
  return [
    {
      sessionId: candidate.sessionId,
      row,
      state: candidate.isLive ? 'live' : 'archived',
      before: rows.filter(({ seq }) => seq < row.seq),
      after: rows.filter(({ seq }) => seq > row.seq),
      rank: score,
      at: matchPlace(saidInParts(row.parts), { ...wish, from: pieceStart(candidate.piece) }),
    },
  ];
}

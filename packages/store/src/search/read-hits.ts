/** Hits with their neighbours, in one statement. */
import { type MessageRow, saidInParts, type SearchHit } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';
import { type MessageRecord, messageColumns, toMessage } from '../transcript/message-record.ts';
import type { Found } from './find-rows.ts';
import { matchPlace } from './match-place.ts';
import type { SearchTerm } from './parse-query.ts';
import type { Ranked, Ranking } from './rank-candidates.ts';
import { pieceStart } from './tokens.ts';

interface HitsWish {
  query: string;
  terms: readonly SearchTerm[];
  neighbours: number;
}

/** Neighbours as `around` gives them: rows that were taken back and rows that stand for another are left out. */
export async function readHits(
  tx: Transaction,
  { hits, scoreOf }: Found,
  wish: HitsWish,
): Promise<SearchHit[]> {
  if (hits.length === 0) return [];
  const column = <Value>(of: (one: Ranked) => Value) => sql.param(hits.map(of));
  const sessionIds = column(({ candidate }) => candidate.sessionId);
  const scope = sql.param([...new Set(hits.map(({ candidate }) => candidate.sessionId))]);
  const beside = (order: 'DESC' | 'ASC') => sql`
    (SELECT b.id FROM messages b WHERE b.session_id = h.session_id AND b.session_id = ANY(${scope}::text[])
       AND b.seq ${sql.raw(order === 'ASC' ? '>' : '<')} h.seq
       AND (b.active = 1 OR b.compacted = 1) AND b.replaces IS NULL ORDER BY b.seq ${sql.raw(order)} LIMIT ${wish.neighbours}::int)`;
  // Sessions are named where rows are read, so that other partitions are not even planned for; each row is looked up by its
  // id, unique over all of them, since the planner, which cannot tell how many there are, would else read whole partitions.
  const readNear = (): Promise<(MessageRecord & { n: number })[]> =>
    run(
      tx,
      sql`WITH near AS MATERIALIZED (
          SELECT h.n, near.id
          FROM unnest(${sessionIds}::text[], ${column(({ candidate }) => candidate.rowId)}::bigint[],
                      ${column(({ candidate }) => candidate.seq)}::bigint[]) WITH ORDINALITY AS h(session_id, id, seq, n)
          CROSS JOIN LATERAL (SELECT h.id UNION ALL ${beside('DESC')} UNION ALL ${beside('ASC')}) near)
        SELECT near.n::int AS n, ${messageColumns}
        FROM near CROSS JOIN LATERAL (
          SELECT * FROM messages WHERE session_id = ANY(${scope}::text[]) AND id = near.id LIMIT 1) m
        ORDER BY near.n, m.seq`,
    );
  // A session named twice counts as a row or two to the planner, which then reads and sorts all of it for three neighbours.
  const [, rows] = await together(() => [
    run(tx, sql`SELECT set_config('enable_sort', 'off', true)`, 'search_in_order'),
    readNear(),
  ]);
  const byHit = Map.groupBy(rows, ({ n }) => n - 1);
  return hits.flatMap((one, index) => {
    const near = (byHit.get(index) ?? []).map(toMessage);
    return toHit(one, { near, scoreOf }, wish);
  });
}

function toHit(
  { candidate, score }: Ranked,
  { near, scoreOf }: { near: readonly MessageRow[]; scoreOf: Ranking['scoreOf'] },
  wish: HitsWish,
): SearchHit[] {
  const { sessionId } = candidate;
  const row = near.find(({ id }) => id === candidate.rowId);
  if (row === undefined) return [];
  const rankOf = ({ seq, sender }: MessageRow): number =>
    scoreOf({ sessionId, seq, sender: sender?.name ?? null });
  return [
    {
      sessionId,
      row,
      state: candidate.isLive ? 'live' : 'archived',
      before: near.filter(({ seq }) => seq < row.seq),
      after: near.filter(({ seq }) => seq > row.seq),
      rank: score,
      nearRanks: new Map(near.map((one) => [one.id, rankOf(one)])),
      at: matchPlace(saidInParts(row.parts), { ...wish, from: pieceStart(candidate.piece) }),
    },
  ];
}

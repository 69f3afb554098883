import type { RowHeader } from '@palimpsest/core';

/** What /undo takes back. `fromSeq` null: nothing. */
export interface ChosenExchanges {
  exchanges: number;
  fromSeq: number | null;
  /** Rows of all kinds. */
  messages: number;
  /** There would be more, but it is told in a summary. */
  endedAtSummary: boolean;
}

/**
 * The newest exchanges: what people said together and all that answers it.
 *
 * rows        live ones, oldest first
 * count       >= 1
 * summaryEnd  highest seq that is a summary or stands under one; nothing up to it is taken
 */
export function chooseExchanges(
  rows: readonly RowHeader[],
  { count, summaryEnd }: { count: number; summaryEnd: number },
): ChosenExchanges {
  const free = rows.slice(rows.findLastIndex((row) => row.kind === 'summary' || row.seq <= summaryEnd) + 1);
  const starts = free.flatMap((row, index) => (beginsExchange(row, free[index - 1]) ? [index] : []));
  const taken = starts.slice(-count);
  const [first] = taken;
  return {
    exchanges: taken.length,
    fromSeq: first === undefined ? null : free[first]!.seq,
    messages: first === undefined ? 0 : free.length - first,
    endedAtSummary: taken.length < count && (free.length < rows.length || summaryEnd > 0),
  };
}

/** Messages that became one turn are answered together; rows of before a rotation no longer know their turn. */
function beginsExchange(row: RowHeader, before: RowHeader | undefined): boolean {
  if (row.kind !== 'person') return false;
  return before?.kind !== 'person' || before.turnId === undefined || before.turnId !== row.turnId;
}

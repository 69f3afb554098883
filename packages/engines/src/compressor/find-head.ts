import type { RowHeader } from '@palimpsest/core';
import type { Unit } from './group-rows.ts';

/** More unanswered messages than this at the start are no exchange; the first of them stands for it. */
const longestOpening = 20;

/**
 * Where the protected head ends: the first exchange, which is what `protect_first_n` = 3 means here (the system prompt
 * is no row): the first messages of the person and the first step of the answer with all its tool results. It stays at
 * every compaction. A transcript that begins with a summary has no head any more; a first step that does not fit
 * `limitTokens` is left out, then the opening message.
 * returns index behind the last row of the head, always at the border of a unit
 */
export function findHead(rows: readonly RowHeader[], units: readonly Unit[], limitTokens: number): number {
  const opening = findOpening(rows, units);
  const step = units[opening.units];
  const openingTokens = units.slice(0, opening.units).reduce((sum, unit) => sum + unit.tokens, 0);
  if (openingTokens > limitTokens) return 0;
  const isAnswered =
    step !== undefined && rows[step.start]!.role === 'assistant' && rows[step.start]!.kind !== 'summary';
  if (!isAnswered || opening.isCut || step.open || openingTokens + step.tokens > limitTokens)
    return opening.end;
  return step.end;
}

/** The rows before the first step of an answer. */
function findOpening(
  rows: readonly RowHeader[],
  units: readonly Unit[],
): { units: number; end: number; isCut: boolean } {
  let count = 0;
  while (count < units.length && isOpening(rows[units[count]!.start]!, count)) count++;
  const isCut = count > longestOpening;
  const kept = isCut ? 1 : count;
  return { units: kept, end: units[kept - 1]?.end ?? 0, isCut };
}

/** A greeting of the bot may stand first; notices may stand between. */
function isOpening(row: RowHeader, position: number): boolean {
  if (row.kind === 'summary') return false;
  return (
    row.role === 'user' ||
    row.kind === 'notice' ||
    (position === 0 && row.role === 'assistant' && row.toolCallIds.length === 0)
  );
}

import type { RowHeader } from '@palimpsest/core';
import type { ContextItem } from './items.ts';
import { isPerson, isPlainAnswer } from '../compressor/row-kinds.ts';
import { groupRows, type Unit } from '../compressor/group-rows.ts';

export interface TailLimits {
  /** Newest messages that stay; 0 = no tail. */
  count: number;
  /** Null = no cap. */
  maxTokens: number | null;
  /** A turn above this many tokens may be condensed behind its question; null = never. */
  loopTokens: number | null;
  /** An unanswered question is the person's newest message and those right before it, up to this many tokens of them. */
  questionTokens: number;
}

/**
 * Which items stay word for word, by index: the newest messages up to both limits, the person's newest input and
 * everything behind it. A call is never parted from its results. A tool loop that is too long for the context keeps its
 * question and its newest rounds only. Reads each message once.
 */
export function freshTail(items: readonly ContextItem[], limits: TailLimits): ReadonlySet<number> {
  const kept = new Set<number>();
  if (limits.count === 0) return kept;
  const rows = items.flatMap((item, index) => (item.kind === 'row' ? [{ index, row: item.row }] : []));
  const units = groupRows(rows.map(({ row }) => row));
  const [question, questionEnd] = newestInput(
    rows.map(({ row }) => row),
    limits.questionTokens,
  );
  const start = startOfTail(units, rows.length, limits);
  const from = question === -1 ? start : Math.min(start, question);
  const isLoop = question !== -1 && isTooLong(units, question, limits.loopTokens);
  const first = unitAt(units, isLoop ? start : from)?.start ?? rows.length;
  for (let at = first; at < rows.length; at++) kept.add(rows[at]!.index);
  if (isLoop) for (let at = question; at < questionEnd; at++) kept.add(rows[at]!.index);
  return kept;
}

/**
 * First row and end of what the person said last: several messages that wait for one answer are one input; once it is
 * there, the newest of them is. -1: none.
 */
function newestInput(rows: readonly RowHeader[], limitTokens: number): readonly [first: number, end: number] {
  const newest = rows.findLastIndex(isPerson);
  if (rows.some((row, index) => index > newest && isPlainAnswer(row))) return [newest, newest + 1];
  let first = newest;
  let tokens = rows[newest]?.tokens ?? 0;
  while (first > 0 && isPerson(rows[first - 1]!)) {
    tokens += rows[first - 1]!.tokens;
    if (tokens > limitTokens) break;
    first -= 1;
  }
  return [first, newest + 1];
}

/** Row at which the newest messages within both limits begin; the newest unit always belongs to them. */
function startOfTail(units: readonly Unit[], rowCount: number, { count, maxTokens }: TailLimits): number {
  let start = rowCount;
  let tokens = 0;
  for (const unit of units.toReversed()) {
    tokens += unit.tokens;
    const isNewest = start === rowCount;
    const fits = rowCount - start < count && (maxTokens === null || tokens <= maxTokens);
    if (!isNewest && !fits) break;
    start = unit.start;
  }
  return start;
}

/** The turn since a row is larger than it may be. */
function isTooLong(units: readonly Unit[], row: number, loopTokens: number | null): boolean {
  if (loopTokens === null) return false;
  const tokens = units.reduce((sum, unit) => (unit.end > row ? sum + unit.tokens : sum), 0);
  return tokens > loopTokens;
}

function unitAt(units: readonly Unit[], row: number): Unit | undefined {
  return units.find((unit) => unit.end > row);
}

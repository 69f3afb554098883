import type { ContextItem } from './items.ts';
import { isPerson } from '../compressor/row-kinds.ts';
import { groupRows, type Unit } from '../compressor/group-rows.ts';

export interface TailLimits {
  /** Newest messages that stay; 0 = no tail. */
  count: number;
  /** Null = no cap. */
  maxTokens: number | null;
  /** A turn above this many tokens may be condensed behind its question; null = never. */
  loopTokens: number | null;
}

/**
 * Which items stay word for word, by index: the newest messages up to both limits, the person's newest message and
 * everything behind it. A call is never parted from its results. A tool loop that is too long for the context keeps its
 * question and its newest rounds only. Reads each message once.
 */
export function freshTail(items: readonly ContextItem[], limits: TailLimits): ReadonlySet<number> {
  const kept = new Set<number>();
  if (limits.count === 0) return kept;
  const rows = items.flatMap((item, index) => (item.kind === 'row' ? [{ index, row: item.row }] : []));
  const units = groupRows(rows.map(({ row }) => row));
  const question = rows.findLastIndex(({ row }) => isPerson(row));
  const start = startOfTail(units, rows.length, limits);
  const from = question === -1 ? start : Math.min(start, question);
  const isLoop = question !== -1 && isTooLong(units, question, limits.loopTokens);
  const first = unitAt(units, isLoop ? start : from)?.start ?? rows.length;
  for (let at = first; at < rows.length; at++) kept.add(rows[at]!.index);
  const asked = isLoop ? unitAt(units, question) : undefined;
  for (let at = asked?.start ?? 0; at < (asked?.end ?? 0); at++) kept.add(rows[at]!.index);
  return kept;
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

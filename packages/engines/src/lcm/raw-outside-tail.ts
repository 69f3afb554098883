import { freshTail } from './fresh-tail.ts';
import { isPerson } from '../compressor/row-kinds.ts';
import { tokensOf, type ContextItem } from './items.ts';
import type { Sizes } from './sizes.ts';
import { tailLimits } from './workbench.ts';

/** Tokens of messages that could be summarised now. */
export function rawOutsideTail(items: readonly ContextItem[], sizes: Sizes): number {
  return rawOutside(items, freshTail(items, tailLimits(sizes))).tokens;
}

/** Messages outside a tail, and their tokens. */
export function rawOutside(
  items: readonly ContextItem[],
  tail: ReadonlySet<number>,
): { messages: number; tokens: number } {
  const rows = items.filter((item, index) => item.kind === 'row' && !tail.has(index));
  return { messages: rows.length, tokens: tokensOf(rows) };
}

/** What a turn has brought on average, of those still word for word. */
export function averageTurnTokens(items: readonly ContextItem[]): number {
  const rows = items.filter((item) => item.kind === 'row');
  const turns = rows.filter((item) => item.kind === 'row' && isPerson(item.row)).length;
  return turns === 0 ? 0 : tokensOf(rows) / turns;
}

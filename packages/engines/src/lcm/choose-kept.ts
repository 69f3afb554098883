import { tokensOf, type ContextItem } from './items.ts';

/** Room is made in steps of this share of the budget, so that the prompt's beginning does not move at every turn. */
const stepShare = 0.1;

/**
 * Which items a request holds. All of them where they fit; else the oldest outside the tail go first, in order and in
 * steps, and none is skipped to keep an older one. The tail always stays.
 */
export function chooseKept(
  items: readonly ContextItem[],
  tail: ReadonlySet<number>,
  budgetTokens: number,
): readonly ContextItem[] {
  const over = tokensOf(items) - budgetTokens;
  if (over <= 0) return items;
  const step = Math.max(1, Math.floor(budgetTokens * stepShare));
  const wanted = Math.ceil(over / step) * step;
  let gone = 0;
  return items.filter((item, index) => {
    if (tail.has(index) || gone >= wanted) return true;
    gone += item.tokens;
    return false;
  });
}

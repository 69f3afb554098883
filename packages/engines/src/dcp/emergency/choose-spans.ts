import type { DcpUnitId } from '@palimpsest/core';
import type { ShownItem } from '../transform/lay-out.ts';

/** Indexes of shown items that become one block, both ends included. */
export interface HostSpan {
  from: number;
  to: number;
  tokens: number;
}

export interface SpanWish {
  items: readonly ShownItem[];
  /** Tokens of each item. */
  itemTokens: readonly number[];
  /** Units that stay whatever happens. */
  keeps: ReadonlySet<DcpUnitId>;
  /** Tokens to get rid of, summaries not counted. */
  needTokens: number;
  /** What one summary will take. */
  summaryTokens: number;
}

/** Earlier blocks at the beginning stay as they are while they are at most this part of what is shown. */
const restingBlocksShare = 0.15;
/** Several spans only where a message that stays lies between them. */
const mostSpans = 3;

/**
 * The oldest spans whose summaries make the room that is needed, oldest first; all that can go where it is too little.
 * A span never holds a unit that stays nor one whose call is open; earlier blocks in it are taken in. A span that a
 * summary would not halve is left alone.
 */
export function chooseSpans(wish: SpanWish): readonly HostSpan[] {
  const chosen: HostSpan[] = [];
  let missing = wish.needTokens;
  for (const whole of stretches(wish)) {
    if (missing <= 0 || chosen.length === mostSpans) break;
    const span = cutTo(whole, missing + wish.summaryTokens, wish);
    if (span.tokens < wish.summaryTokens * 2) continue;
    chosen.push(span);
    missing -= span.tokens - wish.summaryTokens;
  }
  return chosen;
}

/** Longest runs of items that may go. */
function stretches(wish: SpanWish): readonly HostSpan[] {
  const runs: HostSpan[] = [];
  let open: HostSpan | null = null;
  for (let index = firstToLook(wish); index < wish.items.length; index++) {
    if (!mayGo(wish.items[index]!, wish.keeps)) {
      open = null;
      continue;
    }
    if (!open) runs.push((open = { from: index, to: index, tokens: 0 }));
    open.to = index;
    open.tokens += wish.itemTokens[index]!;
  }
  return runs.filter((run) => wish.items.slice(run.from, run.to + 1).some(isWorthNaming));
}

function isWorthNaming(item: ShownItem): boolean {
  return item.kind === 'block' || item.unit.isNumbered;
}

function mayGo(item: ShownItem, keeps: ReadonlySet<DcpUnitId>): boolean {
  return item.kind === 'block' || (!item.unit.isOpen && !keeps.has(item.unit.id));
}

/** Past the blocks at the beginning, unless they have become heavy themselves. */
function firstToLook({ items, itemTokens }: SpanWish): number {
  const first = items.findIndex((item) => item.kind === 'unit');
  if (first === -1) return 0;
  const total = itemTokens.reduce((sum, tokens) => sum + tokens, 0);
  const resting = itemTokens.slice(0, first).reduce((sum, tokens) => sum + tokens, 0);
  return resting <= total * restingBlocksShare ? first : 0;
}

function cutTo(span: HostSpan, enoughTokens: number, { itemTokens }: SpanWish): HostSpan {
  let tokens = 0;
  for (let to = span.from; to <= span.to; to++) {
    tokens += itemTokens[to]!;
    if (tokens >= enoughTokens) return { from: span.from, to, tokens };
  }
  return span;
}

import type { ContextItem, RowItem } from './items.ts';
import { groupRows } from '../compressor/group-rows.ts';

export interface LeafChunk {
  /** Index of its first item. */
  start: number;
  rows: readonly RowItem[];
  /** What they cost the summary model, speakers included. */
  tokens: number;
}

export interface LeafWish {
  chunkTokens: number;
  /** Messages it needs unless it has `enoughTokens` or the next one would make it larger than a chunk. */
  minMessages: number;
  /** The size without traffic, at which work begins; a chunk may be larger. */
  enoughTokens: number;
  /** Over the threshold or asked for: the least number does not hold, and an over-long step is taken as it is. */
  isUrgent: boolean;
  /** Index from which on chunks are looked for; earlier ones were tried. */
  from: number;
  /** What a row costs beside its own tokens: time and speaker. */
  headerTokens(item: RowItem): number;
}

/**
 * The next messages to summarise: the oldest run outside the tail, up to a chunk, ending where no tool call is open. A
 * step of calls and results that is longer than the chunk is taken alone, up to twice the size; null when there is none.
 */
export function nextLeafChunk(
  items: readonly ContextItem[],
  tail: ReadonlySet<number>,
  wish: LeafWish,
): LeafChunk | null {
  for (const run of runsOutside(items, tail, wish.from)) {
    const chunk = chunkOfRun(run, wish);
    if (chunk) return chunk;
  }
  return null;
}

interface Run {
  start: number;
  rows: readonly RowItem[];
  /** It holds the newest message: a call without a result there is still being worked on. */
  isNewest: boolean;
}

/** Neighbouring messages outside the tail, oldest first. */
function runsOutside(items: readonly ContextItem[], tail: ReadonlySet<number>, from: number): readonly Run[] {
  const runs: { start: number; rows: RowItem[]; isNewest: boolean }[] = [];
  let open = false;
  for (const [index, item] of items.entries()) {
    const isFree = index >= from && item.kind === 'row' && !tail.has(index);
    if (isFree && !open) runs.push({ start: index, rows: [], isNewest: false });
    if (isFree) runs.at(-1)!.rows.push(item);
    if (isFree && index === items.length - 1) runs.at(-1)!.isNewest = true;
    open = isFree;
  }
  return runs;
}

function chunkOfRun(run: Run, wish: LeafWish): LeafChunk | null {
  const { chunkTokens, isUrgent } = wish;
  const costs = run.rows.map((item) => item.tokens + wish.headerTokens(item));
  const units = groupRows(run.rows.map(({ row }) => row));
  let start = 0;
  let end = 0;
  let tokens = 0;
  let isFull = false;
  for (const unit of units) {
    if (unit.open && unit.end === run.rows.length && run.isNewest) break;
    const cost = costs.slice(unit.start, unit.end).reduce((sum, more) => sum + more, 0);
    const isFirst = end === start;
    if (isFirst && unit.end - unit.start > 1 && cost > chunkTokens * 2 && !isUrgent) {
      start = unit.end;
      end = unit.end;
      continue;
    }
    isFull = !isFirst && tokens + cost > chunkTokens;
    if (isFull) break;
    end = unit.end;
    tokens += cost;
  }
  const rows = run.rows.slice(start, end);
  const isEnough = isUrgent || rows.length >= wish.minMessages || isFull || tokens >= wish.enoughTokens;
  return rows.length > 0 && isEnough ? { start: run.start + start, rows, tokens } : null;
}

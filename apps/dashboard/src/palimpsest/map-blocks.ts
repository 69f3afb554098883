import type { DcpBlockView, RowHeader } from '@palimpsest/core';
import { coverOfBlocks } from './lay-page.ts';

/** More cannot be told apart on a page. */
const mostDrawn = 300;

/** Places of live rows, from 0 on; both ends belong to it. */
interface Range {
  first: number;
  last: number;
}

export interface BlockMap {
  /** Live rows, and how many of them a shown block hides. */
  rows: number;
  hidden: number;
  /** Where the hidden ones stand, in order. */
  ranges: readonly Range[];
  /** The newest ones under which rows are live; `all` counts every block. */
  blocks: readonly (Range &
    Pick<DcpBlockView, 'number' | 'topic' | 'activity' | 'consumed' | 'consumedBy'>)[];
  all: number;
}

/** Blocks over the live rows, each from its first to its last. Pure. */
export function mapBlocks(rows: readonly RowHeader[], blocks: readonly DcpBlockView[]): BlockMap {
  const covers = coverOfBlocks(rows, blocks);
  const placeOf = new Map(rows.map(({ id }, place) => [id, place]));
  const placed = blocks.map((block) => {
    const places = covers.get(block.number)!.rowIds.flatMap((id) => placeOf.get(id) ?? []);
    return { block, places: places.sort((one, other) => one - other) };
  });
  const hidden = new Set(placed.flatMap(({ block, places }) => (block.activity === 'active' ? places : [])));
  return {
    rows: rows.length,
    hidden: hidden.size,
    ranges: rangesOf([...hidden].sort((one, other) => one - other)),
    blocks: placed
      .filter(({ places }) => places.length > 0)
      .slice(-mostDrawn)
      .map(({ block: { number, topic, activity, consumed, consumedBy }, places }) => ({
        number,
        topic,
        activity,
        consumed,
        consumedBy,
        first: places[0]!,
        last: places.at(-1)!,
      })),
    all: blocks.length,
  };
}

function rangesOf(places: readonly number[]): Range[] {
  const ranges: Range[] = [];
  for (const place of places) {
    const open = ranges.at(-1);
    if (open?.last === place - 1) open.last = place;
    else ranges.push({ first: place, last: place });
  }
  return ranges;
}

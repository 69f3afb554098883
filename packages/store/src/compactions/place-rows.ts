/** Finds the seq of each planned row: just above the row it replaces, or just below what follows its range. No I/O. */
import type { RowPlace } from '@palimpsest/core';

/** Rows are appended in gaps of this width, so a free place is never farther away. */
export const seqGap = 1024;

export interface Anchor {
  seq: number;
  /** Seq of the first row after it in any state; the session's next_seq when it is the last one. */
  next: number;
}

export interface SeqGround {
  /** Seqs of the rows that stay live after the plan, ascending. */
  kept: readonly number[];
  /** Every seq of the session, in any state, within one gap of an anchor. */
  taken: ReadonlySet<number>;
  anchors: ReadonlyMap<number, Anchor>;
  nextSeq: number;
}

/**
 * Where planned rows go. A row that stands for a range takes the highest free seq below the first row after the range;
 * a row that replaces one row takes the next free seq above it. No row passes one that stays live.
 *
 * places   one a planned row, in prompt order; every anchor is in `ground.anchors`
 * returns  one seq a place, same order; null when a gap is full
 */
export function placeRows(places: readonly RowPlace[], ground: SeqGround): readonly number[] | null {
  const taken = new Set(ground.taken);
  const seqs = new Map<number, number>();
  for (const { index, rowId } of replacing(places, ground)) {
    const seq = above(rowId, ground, taken);
    if (seq === null) return null;
    taken.add(seq);
    seqs.set(index, seq);
  }
  const kept = [...ground.kept, ...seqs.values()].sort((a, b) => a - b);
  // Last first: of two rows for one range the later takes the higher seq, so that the plan's order stands.
  for (const [index, place] of [...places.entries()].toReversed()) {
    if (place.kind !== 'range') continue;
    const seq = below(place.lastRowId, { ...ground, kept }, taken);
    if (seq === null) return null;
    taken.add(seq);
    seqs.set(index, seq);
  }
  return places.map((_, index) => seqs.get(index) ?? 0);
}

/** In the order of the replaced rows, whatever the plan's: neighbours may share one gap. */
function replacing(
  places: readonly RowPlace[],
  ground: SeqGround,
): readonly { index: number; rowId: number }[] {
  const found: { index: number; rowId: number }[] = [];
  for (const [index, place] of places.entries())
    if (place.kind === 'replaces') found.push({ index, rowId: place.rowId });
  return found.sort((a, b) => anchorOf(a.rowId, ground).seq - anchorOf(b.rowId, ground).seq);
}

function above(rowId: number, ground: SeqGround, taken: ReadonlySet<number>): number | null {
  const { seq } = anchorOf(rowId, ground);
  const limit = Math.min(
    ground.kept.find((kept) => kept > seq) ?? ground.nextSeq,
    seq + seqGap + 1,
    ground.nextSeq,
  );
  for (let free = seq + 1; free < limit; free += 1) if (!taken.has(free)) return free;
  return null;
}

function below(lastRowId: number, ground: SeqGround, taken: ReadonlySet<number>): number | null {
  const { next } = anchorOf(lastRowId, ground);
  const floor = Math.max(ground.kept.findLast((kept) => kept < next) ?? 0, next - seqGap - 1);
  for (let free = next - 1; free > floor; free -= 1) if (!taken.has(free)) return free;
  return null;
}

function anchorOf(rowId: number, ground: SeqGround): Anchor {
  return ground.anchors.get(rowId) ?? { seq: ground.nextSeq, next: ground.nextSeq };
}

import {
  blocksByNumber,
  coveredUnits,
  hiddenTokens,
  shownTokens,
  type DcpBlock,
  type DcpBlockView,
  type LcmItem,
  type RowHeader,
} from '@palimpsest/core';

/** One place of the page as the model reads it; `seq` orders them all and is never shared by two. */
export type Place =
  | { kind: 'row'; seq: number; row: RowHeader }
  | { kind: 'node'; seq: number; node: LcmItem }
  | { kind: 'block'; seq: number; block: DcpBlockView; cover: BlockCover };

/** What a block stands for, what it took in included. */
export interface BlockCover {
  rowIds: readonly number[];
  units: number;
  hiddenTokens: number;
  shownTokens: number;
}

export interface PageGround {
  /** Live rows, seq order. */
  rows: readonly RowHeader[];
  items: readonly LcmItem[];
  blocks: readonly DcpBlockView[];
}

/** Live rows, graph nodes in the place of what they cover, shown blocks in the place of their first unit. Pure. */
export function layPage({ rows, items, blocks }: PageGround): Place[] {
  const covers = coverOfBlocks(rows, blocks);
  const shown = blocks.filter((block) => block.activity === 'active');
  const hidden = new Set(shown.flatMap((block) => covers.get(block.number)!.rowIds));
  const seqOf = new Map(rows.map((row) => [row.id, row.seq]));
  const places: Place[] = rows
    .filter((row) => !hidden.has(row.id))
    .map((row) => ({ kind: 'row', seq: row.seq, row }));
  for (const node of items) places.push({ kind: 'node', seq: node.ordinal, node });
  for (const block of shown) {
    const seq = seqOf.get(block.anchorUnit);
    if (seq !== undefined) places.push({ kind: 'block', seq, block, cover: covers.get(block.number)! });
  }
  return places.sort((one, other) => one.seq - other.seq);
}

/** By number, of every block; only shown ones hide rows. */
export function coverOfBlocks(
  rows: readonly RowHeader[],
  views: readonly DcpBlockView[],
): ReadonlyMap<number, BlockCover> {
  const blocks = views.map((view): DcpBlock => ({ ...view, origin: null }));
  const byNumber = blocksByNumber({ blocks });
  const rowsOf = rowsByUnit(rows);
  return new Map(
    blocks.map((block) => {
      const units = coveredUnits(block, byNumber);
      const rowIds = [...units].flatMap((unit) => rowsOf.get(unit) ?? []);
      return [
        block.number,
        {
          rowIds,
          units: units.size,
          hiddenTokens: hiddenTokens(block, byNumber),
          shownTokens: shownTokens(block, byNumber),
        },
      ];
    }),
  );
}

/** A unit is an assistant row with its results, or one row of a person; named by its first row. */
function rowsByUnit(rows: readonly RowHeader[]): ReadonlyMap<number, readonly number[]> {
  const units = new Map<number, number[]>();
  let steps: number[] | null = null;
  for (const row of rows) {
    if (row.role === 'tool' && steps) {
      steps.push(row.id);
      continue;
    }
    const unit = [row.id];
    units.set(row.id, unit);
    steps = row.role === 'assistant' ? unit : null;
  }
  return units;
}

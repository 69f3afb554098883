import type { DcpBlock, DcpState, DcpUnitId } from './dcp.ts';

/** Blocks by number. */
export function blocksByNumber(state: Pick<DcpState, 'blocks'>): ReadonlyMap<number, DcpBlock> {
  return new Map(state.blocks.map((block) => [block.number, block]));
}

/** The block and all it took in, directly or through others; each once, itself first. */
export function blocksWithin(block: DcpBlock, blocks: ReadonlyMap<number, DcpBlock>): readonly DcpBlock[] {
  const found = new Map([[block.number, block]]);
  // Entries that are added while the loop runs are visited too.
  for (const one of found.values())
    for (const number of one.consumed) {
      const inner = blocks.get(number);
      if (inner) found.set(number, inner);
    }
  return [...found.values()];
}

/** Every unit a block stands for, what its consumed blocks cover included. */
export function coveredUnits(block: DcpBlock, blocks: ReadonlyMap<number, DcpBlock>): ReadonlySet<DcpUnitId> {
  return new Set(blocksWithin(block, blocks).flatMap((one) => [...one.unitIds]));
}

/** Which of these blocks a unit is hidden under. No unit is under two active blocks. */
export function coverOfUnits(
  shown: readonly DcpBlock[],
  blocks: ReadonlyMap<number, DcpBlock>,
): ReadonlyMap<DcpUnitId, DcpBlock> {
  const cover = new Map<DcpUnitId, DcpBlock>();
  for (const block of shown) for (const id of coveredUnits(block, blocks)) cover.set(id, block);
  return cover;
}

/** Tokens of what is shown for a block: its own text, and once each the texts shown inside it. */
export function shownTokens(block: DcpBlock, blocks: ReadonlyMap<number, DcpBlock>): number {
  const found = new Map([[block.number, block]]);
  for (const one of found.values())
    for (const number of one.refBlocks) {
      const inner = blocks.get(number);
      if (inner) found.set(number, inner);
    }
  return [...found.values()].reduce((sum, one) => sum + one.summaryTokens, 0);
}

/** Tokens of all units a block stands for. */
export function hiddenTokens(block: DcpBlock, blocks: ReadonlyMap<number, DcpBlock>): number {
  return blocksWithin(block, blocks).reduce((sum, one) => sum + one.rawTokens, 0);
}

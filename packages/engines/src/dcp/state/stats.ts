import {
  activeBlocks,
  blocksByNumber,
  blocksWithin,
  hiddenTokens,
  shownTokens,
  type BlockActivity,
  type DcpState,
} from '@palimpsest/core';

/** What compressions are worth now. Tokens are estimates. */
export interface DcpStats {
  activeBlocks: number;
  allBlocks: number;
  /** Units hidden now. */
  hiddenUnits: number;
  removedTokens: number;
  summaryTokens: number;
  /** removed - summary. */
  netTokens: number;
  markedCalls: number;
  markTokens: number;
  /** Time of the calls whose blocks are shown; a call that made several counts once. */
  durationMs: number;
  /** Removed by all blocks ever, whatever became of them. */
  allTimeRemovedTokens: number;
}

/** Figures for people; blocks that a shown one took in count with it. */
export function statsOf(state: DcpState, activity: ReadonlyMap<number, BlockActivity>): DcpStats {
  const blocks = blocksByNumber(state);
  const shown = activeBlocks(state, activity);
  const removedTokens = sum(shown.map((block) => hiddenTokens(block, blocks)));
  const summaryTokens = sum(shown.map((block) => shownTokens(block, blocks)));
  const durations = new Map(shown.map((block) => [block.run, block.durationMs]));
  return {
    activeBlocks: shown.length,
    allBlocks: state.blocks.length,
    hiddenUnits: sum(
      shown.flatMap((block) => blocksWithin(block, blocks)).map(({ unitIds }) => unitIds.length),
    ),
    removedTokens,
    summaryTokens,
    netTokens: removedTokens - summaryTokens,
    markedCalls: state.marks.length,
    markTokens: sum(state.marks.map((mark) => mark.tokens)),
    durationMs: sum([...durations.values()]),
    allTimeRemovedTokens: sum(state.blocks.map((block) => block.rawTokens)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

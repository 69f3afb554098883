import type { CompactionFigures } from '@palimpsest/core';

/** Figures of a plan that summarises nothing: a switch of engines, a new chapter, a repair. Tokens are estimates. */
export function plainFigures(of: {
  tokensBefore: number;
  tokensAfter: number;
  rowsBefore: number;
  rowsAfter: number;
  rowsArchived: number;
}): CompactionFigures {
  return {
    ...of,
    tokensBeforeSource: 'estimate',
    rowsProtected: of.rowsAfter,
    rowsDroppedWithoutSummary: 0,
    toolResultsPruned: 0,
    summaryTokens: 0,
    summaryCalls: 0,
    summaryInputTokens: 0,
    summaryOutputTokens: 0,
    escalation: 'normal',
  };
}

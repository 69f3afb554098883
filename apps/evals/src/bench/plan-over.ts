import {
  estimateParts,
  GatewayError,
  type CompactionPlan,
  type Part,
  type RowHeader,
} from '@palimpsest/core';

/** A plan that archives the rows and writes one summary in their place, as an engine makes it. */
export function planOver(rows: readonly RowHeader[], liveRows: number): CompactionPlan {
  const last = rows.at(-1);
  if (!last) throw new GatewayError('input_invalid', 'a plan needs at least one row to archive');
  const parts: Part[] = [{ type: 'text', text: 'What was said so far, in a few lines. '.repeat(100) }];
  const summaryTokens = estimateParts(parts);
  const tokensBefore = rows.reduce((sum, row) => sum + row.tokens, 0);
  return {
    kind: 'plan',
    outcome: 'success',
    reason: 'none',
    archive: rows.map((row) => row.id),
    write: [
      {
        role: 'user',
        kind: 'summary',
        parts,
        tokens: summaryTokens,
        place: { kind: 'range', lastRowId: last.id },
      },
    ],
    summaryModel: 'bench/instant',
    figures: {
      tokensBefore,
      tokensBeforeSource: 'estimate',
      tokensAfter: summaryTokens,
      rowsBefore: liveRows,
      rowsAfter: liveRows - rows.length + 1,
      rowsArchived: rows.length,
      rowsProtected: liveRows - rows.length,
      rowsDroppedWithoutSummary: 0,
      toolResultsPruned: 0,
      summaryTokens,
      summaryCalls: 1,
      summaryInputTokens: tokensBefore,
      summaryOutputTokens: summaryTokens,
      escalation: 'normal',
    },
  };
}

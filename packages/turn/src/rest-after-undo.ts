import type { ContextState, TranscriptView } from '@palimpsest/core';
import { hygieneThreshold } from '@palimpsest/hygiene';

/** Share of the window by which a context grows before it is condensed again on its own. */
const growthShare = 0.1;

/**
 * Someone took a compaction back, so automatic ones rest until the context grew by a tenth of the window or reached
 * 85 % of it. Growth is counted in rows that came since, so that no count of the prompt can end it early.
 */
export function restsAfterUndo({ rows }: Pick<TranscriptView, 'rows'>, state: ContextState): boolean {
  const { session, budget, promptTokens } = state;
  const { restAfterSeq } = session;
  if (restAfterSeq === undefined) return false;
  const hardLimit = budget.windowTokens - budget.outputReserveTokens;
  if (promptTokens >= hygieneThreshold(budget.windowTokens, hardLimit)) return false;
  const since = rows.reduce((sum, row) => (row.seq > restAfterSeq ? sum + row.tokens : sum), 0);
  return since * session.estimateRatio < budget.windowTokens * growthShare;
}

import type { CompactionPlan } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';

const million = 1_000_000;

/**
 * What an applied summary cost, onto the session's day. Beside the compaction's own transaction: a crash between the two
 * forgets a few cents, and nothing else.
 */
export async function noteSummaryCost(claimed: ClaimedSession, plan: CompactionPlan): Promise<void> {
  const { usage } = claimed.deps.store;
  const { summaryCalls, summaryInputTokens, summaryOutputTokens } = plan.figures;
  if (!usage || plan.summaryModel === null || summaryCalls === 0) return;
  const { summariser, mainSummariser } = claimed.deps;
  const price = [summariser, mainSummariser].find((one) => one?.model === plan.summaryModel)?.pricePerMillion;
  const added = usage.addSummary({
    sessionId: claimed.session.id,
    model: plan.summaryModel,
    calls: summaryCalls,
    inputTokens: summaryInputTokens,
    outputTokens: summaryOutputTokens,
    dollars: price ? (summaryInputTokens * price.input + summaryOutputTokens * price.output) / million : null,
  });
}

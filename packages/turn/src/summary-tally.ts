import { addUsage, noUsage, type CompactionPlan, type Summariser, type Usage } from '@palimpsest/core';
import { overhearSummaries } from './overhear-summaries.ts';

/** What the calls of one attempt took, whatever became of their text. */
export interface SummaryTally {
  watch(summariser: Summariser): Summariser;
  /** The plan with cache and price of the calls in its figures; as it is where no call said what it took. */
  onto(plan: CompactionPlan): CompactionPlan;
}

export function summaryTally(): SummaryTally {
  const calls: Usage[] = [];
  return {
    watch: (summariser) =>
      overhearSummaries(summariser, ({ usage }) => {
        if (usage) calls.push(usage);
      }),
    onto: (plan) =>
      calls.length === 0 ? plan : { ...plan, figures: { ...plan.figures, ...figuresOf(calls) } },
  };
}

function figuresOf(calls: readonly Usage[]): Partial<CompactionPlan['figures']> {
  const { cacheReadTokens, cacheWriteTokens, costDollars } = calls.reduce(addUsage, noUsage);
  const isPriced = calls.every((call) => call.costDollars !== undefined);
  return {
    summaryCacheReadTokens: cacheReadTokens,
    summaryCacheWriteTokens: cacheWriteTokens,
    ...(isPriced && { summaryDollars: costDollars }),
  };
}

import type { CompactionPlan, CompressRequest, NoPlan, Summariser } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { summaryTally } from './summary-tally.ts';

/** What is asked of an engine; sizes are those of the session now. */
export type EngineWish = Pick<CompressRequest, 'layer' | 'trigger' | 'mode' | 'force' | 'focus'>;

/**
 * Ask the engine for a plan. Where the summary model fails and is another than the main one, the main model tries once:
 * the whole attempt anew, so that its requests are sized to the main model's window. The ledger names both.
 */
export async function askEngine(
  claimed: ClaimedSession,
  wish: EngineWish,
  signal: AbortSignal,
): Promise<CompactionPlan | NoPlan> {
  const tally = summaryTally();
  const { summariser, mainSummariser } = claimed.deps;
  const made = await askModels(claimed, wish, {
    summariser: tally.watch(summariser),
    mainSummariser: mainSummariser && tally.watch(mainSummariser),
    signal,
  });
  return made.kind === 'plan' ? tally.onto(made) : made;
}

async function askModels(
  claimed: ClaimedSession,
  wish: EngineWish,
  asked: { summariser: Summariser; mainSummariser: Summariser | undefined; signal: AbortSignal },
): Promise<CompactionPlan | NoPlan> {
  const { engine, view } = claimed;
  const { clock } = claimed.deps;
  const { summariser, mainSummariser, signal } = asked;
  const request = requestOf(claimed, wish);
  const first = await engine.compress(view, request, { summariser, clock, signal });
  if (!hasSummaryFailed(first)) return first;
  countFailure(claimed, first);
  if (!mainSummariser || signal.aborted) return first;
  const second = await engine.compress(view, request, { summariser: mainSummariser, clock, signal });
  if (hasSummaryFailed(second)) {
    countFailure(claimed, second);
    const cooldownMs = Math.max(first.cooldownMs ?? 0, second.cooldownMs ?? 0);
    return withCalls({ ...second, cooldownMs }, callsOf(first));
  }
  const auxiliaryFailure = { model: summariser.model, reason: first.reason };
  return withCalls(second.kind === 'plan' ? { ...second, auxiliaryFailure } : second, callsOf(first));
}

/** The model failed, whatever became of the attempt; a stop is no failure. */
export function hasSummaryFailed(made: CompactionPlan | NoPlan): boolean {
  if (made.cooldownMs === undefined) return false;
  return made.kind === 'plan' ? made.outcome === 'deterministic' : made.outcome === 'failed';
}

function requestOf(claimed: ClaimedSession, wish: EngineWish): CompressRequest {
  const { layer, trigger, mode, force, focus } = wish;
  const { budget, promptTokens, source: promptTokensSource } = claimed.state();
  return { layer, trigger, mode, force, focus, budget, promptTokens, promptTokensSource };
}

function countFailure({ deps }: ClaimedSession, made: CompactionPlan | NoPlan): void {
  const { summaryModel, reason } = made;
  deps.meter.count('gateway_compaction_summary_failures_total', { model: summaryModel ?? 'none', reason });
}

function callsOf(made: CompactionPlan | NoPlan): number {
  return made.kind === 'plan' ? made.figures.summaryCalls : made.summaryCalls;
}

function withCalls(made: CompactionPlan | NoPlan, more: number): CompactionPlan | NoPlan {
  if (made.kind === 'none') return { ...made, summaryCalls: made.summaryCalls + more };
  return { ...made, figures: { ...made.figures, summaryCalls: made.figures.summaryCalls + more } };
}

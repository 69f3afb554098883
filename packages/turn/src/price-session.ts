import type { Usage } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';

/** Weight of the newest count in the learned ratio: one odd response does not bend the estimate. */
const newestWeight = 0.3;
/** Fewer estimated tokens of rows say nothing about how far the estimate of rows is off. */
const tellingTokens = 500;

/**
 * Take the provider's count as the truth about everything that was in the prompt, judge a compaction by it, and learn
 * from it. Without a count the wait for one after a compaction ends: there is none to wait for.
 */
export async function priceSession(claimed: ClaimedSession, usage: Usage | null): Promise<void> {
  observeUtilization(claimed, usage);
  if (!usage || usage.promptTokens <= 0) {
    if (claimed.session.lastPromptTokens === -1) claimed.change({ lastPromptTokens: 0 });
    return;
  }
  const { contextTokens } = usage;
  // The provider condensed its own view: its prompt says nothing of our rows, and our rows nothing of the next prompt.
  if (contextTokens !== undefined) {
    claimed.change({
      lastPromptTokens: contextTokens,
      lastCacheReadTokens: 0,
      lastOutputTokens: usage.outputTokens,
      lastPricedSeq: claimed.view.rows.at(-1)?.seq ?? 0,
    });
    return;
  }
  await judge(claimed, usage);
  observeError(claimed, usage.promptTokens);
  claimed.change({
    lastPromptTokens: usage.promptTokens,
    lastCacheReadTokens: usage.cacheReadTokens,
    lastOutputTokens: usage.outputTokens,
    lastPricedSeq: claimed.view.rows.at(-1)?.seq ?? 0,
    estimateRatio: learnedRatio(claimed, usage.promptTokens),
  });
}

/**
 * How full the window was: by the provider's count, since an estimate made room for what it believed, else by ours.
 * Another model that answered has a window of its own.
 */
function observeUtilization(claimed: ClaimedSession, usage: Usage | null): void {
  if (usage?.answeredBy) return;
  const { meter, model } = claimed.deps;
  const counted = usage?.contextTokens ?? usage?.promptTokens ?? 0;
  const tokens = counted > 0 ? counted : claimed.state().promptTokens;
  meter.observe('gateway_context_utilization_ratio', tokens / claimed.windowTokens, {
    model: model.info.name,
  });
}

/** Any real prompt below the trigger ends the strikes; the first one after a compaction says whether it helped. */
async function judge(claimed: ClaimedSession, usage: Usage): Promise<void> {
  const { session, deps, engine } = claimed;
  if (session.lastPromptTokens === -1) {
    const strikes = await deps.store.compactions.confirm(session.id, usage);
    const outcome = (strikes ?? 0) > session.ineffectiveStreak ? 'ineffective' : 'success';
    if (strikes !== null) deps.meter.count('gateway_compaction_confirmed_total', { outcome });
    if (strikes !== null) claimed.view.session = { ...claimed.session, ineffectiveStreak: strikes };
  }
  const isBelow = usage.promptTokens < engine.getStatus(claimed.budget()).triggerTokens;
  if (isBelow && claimed.session.ineffectiveStreak > 0) claimed.change({ ineffectiveStreak: 0 });
}

/**
 * Real tokens of one estimated token of the rows, 0.5 … 2. The overhead is taken off where the rows are what counts;
 * where they are few its own error would be blamed on them.
 */
function learnedRatio(claimed: ClaimedSession, promptTokens: number): number {
  const overhead = claimed.budget().overheadTokens;
  const rows = rowTokens(claimed);
  const isTelling = rows >= Math.max(tellingTokens, overhead);
  const newest = isTelling ? (promptTokens - overhead) / rows : promptTokens / Math.max(1, overhead + rows);
  const clamped = Math.min(2, Math.max(0.5, newest));
  return claimed.session.estimateRatio * (1 - newestWeight) + clamped * newestWeight;
}

/** What the estimate with its learned ratio would have said of the whole prompt. */
function observeError(claimed: ClaimedSession, promptTokens: number): void {
  const estimated = claimed.budget().overheadTokens + rowTokens(claimed) * claimed.session.estimateRatio;
  const { meter, model } = claimed.deps;
  meter.observe('gateway_context_estimate_error_ratio', (estimated - promptTokens) / promptTokens, {
    model: model.info.name,
  });
}

function rowTokens(claimed: ClaimedSession): number {
  return claimed.measured().tokens;
}

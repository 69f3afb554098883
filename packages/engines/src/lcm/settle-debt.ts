import type { CompactionPlan, CompressRequest, LcmDebtEnd, NoPlan, TranscriptView } from '@palimpsest/core';
import type { CompressGround } from './compress-ground.ts';
import type { Workbench } from './workbench.ts';

/** Rest of a debt after failures in a row. */
const firstBackoffMs = 300_000;
const mostBackoffMs = 1_800_000;

export interface StartedDebt {
  revision: number;
  attempts: number;
}

/** 5, 10, 20 minutes, then always 30. */
function debtBackoffMs(attempts: number): number {
  return Math.min(mostBackoffMs, firstBackoffMs * 2 ** attempts);
}

/** Background work pays the session's debt, if one is pending and nobody else is at it. */
export async function startDebt(
  { session }: TranscriptView,
  request: CompressRequest,
  { state, store }: CompressGround,
): Promise<StartedDebt | null> {
  const { debt } = state;
  if (request.layer !== 'background' || !debt?.pending || debt.running) return null;
  const revision = await store.startDebt(session.id, debt.revision);
  return revision === null ? null : { revision, attempts: debt.retryAttempts };
}

/** The end of a debt that was started; and where a sweep stalled above its target, the session's calls rest. */
export async function settleDebt(
  bench: Workbench,
  { debt, end, ground }: { debt: StartedDebt | null; end: CompactionPlan | NoPlan; ground: CompressGround },
): Promise<void> {
  const { sessionId, config } = bench.ground;
  if (hasStalled(bench, end)) {
    const { lcm } = config.context;
    await ground.store.stopSpend(sessionId, {
      maxCalls: lcm.summary_max_calls_per_window,
      windowMs: lcm.summary_call_window_ms,
      backoffMs: lcm.summary_spend_backoff_ms,
    });
  }
  if (debt) await ground.store.finishDebt(sessionId, debt.revision, debtEnd(bench, end, debt));
}

/** How a debt ends. A refused key gets no rest: only an operator can help. */
function debtEnd(bench: Workbench, end: CompactionPlan | NoPlan, debt: StartedDebt): LcmDebtEnd {
  const currentTokens = bench.promptTokens;
  const isOver = currentTokens > bench.ground.sizes.triggerTokens;
  const retryInMs = debtBackoffMs(debt.attempts);
  if (end.kind === 'plan') {
    if (!isOver) return { kind: 'closed', resolutionReason: 'paid', currentTokens };
    return { kind: 'pending', retryInMs, isFailure: false, lastFailure: null, currentTokens };
  }
  const pending = { kind: 'pending', currentTokens, lastFailure: end.reason } as const;
  if (end.reason === 'summary_auth') return { ...pending, retryInMs: null, isFailure: true };
  if (end.outcome === 'failed') return { ...pending, retryInMs, isFailure: true };
  if (end.outcome === 'skipped' || end.outcome === 'aborted')
    return { ...pending, retryInMs, isFailure: false };
  return { kind: 'closed', resolutionReason: isOver ? 'exhausted' : 'nothing_to_do', currentTokens };
}

/** Calls were made, nothing came of them, and the prompt is still too large; a sweep cut off by a bound may go on. */
function hasStalled(bench: Workbench, end: CompactionPlan | NoPlan): boolean {
  const { sizes, request } = bench.ground;
  const isCut = bench.stop !== null && (bench.stop.kind === 'stop' || bench.stop.bound !== 'passes');
  if (end.kind === 'plan' || request.force || isCut) return false;
  return bench.cost.calls > 0 && bench.promptTokens > sizes.triggerTokens;
}

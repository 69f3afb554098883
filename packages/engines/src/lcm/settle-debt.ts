import type {
  CompactionPlan,
  CompressRequest,
  LcmChange,
  LcmDebtEnd,
  NoPlan,
  TranscriptView,
} from '@palimpsest/core';
import { stateChange } from './build-plan.ts';
import { cacheRestMs } from './cache-state.ts';
import type { CompressGround } from './compress-ground.ts';

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

/**
 * Background work answers for the session's debt once that is due: a plan made ahead at another occasion neither pays it nor
 * moves its time. One left running by a dead job is taken over.
 */
export async function startDebt(
  { session }: TranscriptView,
  request: CompressRequest,
  { state, store }: CompressGround,
): Promise<StartedDebt | null> {
  const { debt } = state;
  if (request.layer !== 'background' || !debt?.pending || debt.dueAt > state.now) return null;
  const revision = await store.startDebt(session.id, debt.revision);
  return revision === null ? null : { revision, attempts: debt.retryAttempts };
}

/**
 * How the attempt ends for a debt that was started. With a plan the end is part of the plan: it is paid when the plan is
 * applied, and one that never is leaves it as it was.
 */
export async function settleDebt(
  { session }: TranscriptView,
  {
    debt,
    end,
    request,
  }: { debt: StartedDebt | null; end: CompactionPlan | NoPlan; request: CompressRequest },
  ground: CompressGround,
): Promise<CompactionPlan | NoPlan> {
  if (!debt) return end;
  if (end.kind === 'plan') {
    const debtEnd = { revision: debt.revision, end: endWithPlan(end, debt, ground) };
    return { ...end, state: stateChange({ ...(end.state?.json as LcmChange | undefined), debtEnd }) };
  }
  await ground.store.finishDebt(session.id, debt.revision, endWithout(end, { debt, request }, ground));
  return end;
}

function endWithPlan({ figures }: CompactionPlan, debt: StartedDebt, { sizes }: CompressGround): LcmDebtEnd {
  const currentTokens = figures.tokensAfter;
  if (currentTokens <= sizes.triggerTokens)
    return { kind: 'closed', resolutionReason: 'paid', currentTokens };
  const retryInMs = debtBackoffMs(debt.attempts);
  return { kind: 'pending', retryInMs, isFailure: false, lastFailure: null, currentTokens };
}

/** A refused key gets no rest of its own: only an operator can help. What waits for the cache waits until it has run out. */
function endWithout(
  end: NoPlan,
  { debt, request }: { debt: StartedDebt; request: CompressRequest },
  { sizes, telemetry, state, rules }: CompressGround,
): LcmDebtEnd {
  const currentTokens = request.promptTokens;
  const retryInMs = debtBackoffMs(debt.attempts);
  const pending = { kind: 'pending', currentTokens, lastFailure: end.reason, isFailure: false } as const;
  if (end.reason === 'hot_cache')
    return { ...pending, lastFailure: null, retryInMs: cacheRestMs(telemetry, state.now, rules) };
  if (end.reason === 'summary_auth') return { ...pending, retryInMs: null, isFailure: true };
  if (end.outcome === 'failed') return { ...pending, retryInMs, isFailure: true };
  if (end.outcome === 'skipped' || end.outcome === 'aborted') return { ...pending, retryInMs };
  const isExhausted = currentTokens > sizes.triggerTokens;
  return { kind: 'closed', resolutionReason: isExhausted ? 'exhausted' : 'nothing_to_do', currentTokens };
}

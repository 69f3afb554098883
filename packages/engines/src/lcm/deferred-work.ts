import type { ContextState, DeferredWork, LcmDebtRequest } from '@palimpsest/core';
import { stateChange } from './build-plan.ts';
import { cacheNow, cacheRestMs } from './cache-state.ts';
import { decideWaiting } from './compress.ts';
import type { CompressGround } from './compress-ground.ts';
import { rawOutsideTail } from './raw-outside-tail.ts';

export type DeferredGround = Pick<
  CompressGround,
  'sizes' | 'config' | 'items' | 'telemetry' | 'rules' | 'state' | 'measures'
>;

/**
 * What is owed after the reply. Above the threshold at once, whatever the cache says; work that can wait is due when the
 * prompt cache has run out; nothing below a chunk's worth. Null: nothing to note.
 * isAsked   a plan was asked for in this turn already
 */
export function deferredWork(
  state: ContextState,
  ground: DeferredGround,
  isAsked: boolean,
): DeferredWork | null {
  const { sizes, telemetry, rules, config } = ground;
  const { promptTokens } = state;
  if (promptTokens > sizes.triggerTokens)
    return isAsked || sizes.overheadTokens > sizes.triggerTokens
      ? null
      : owe(ground, state, { dueInMs: spendRestMs(ground, state.now), reason: 'over-threshold' });
  const decision = decideWaiting(promptTokens, { ...ground, state: { now: state.now } });
  if (decision.kind === 'nothing') return null;
  if (decision.kind === 'defer') ground.measures.decided(cacheNow(telemetry, state.now, rules), 'defer');
  const settings = config.context.lcm.cache_aware_compaction;
  const isCritical = promptTokens >= sizes.hardLimitTokens * settings.critical_budget_pressure_ratio;
  const dueInMs = settings.enabled && !isCritical ? cacheRestMs(telemetry, state.now, rules) : 0;
  const reason = decision.reason;
  const { debt } = ground.state;
  // A pending debt that says the same keeps its time.
  if (debt?.pending && debt.reason === reason && dueInMs > 0) return null;
  return owe(ground, state, { dueInMs, reason });
}

function owe(
  { sizes, items }: DeferredGround,
  { promptTokens, budget }: ContextState,
  { dueInMs, reason }: { dueInMs: number; reason: string },
): DeferredWork {
  const raw = rawOutsideTail(items, sizes);
  const debt: LcmDebtRequest = {
    dueInMs,
    reason,
    budgetTokens: budget.windowTokens,
    currentTokens: promptTokens,
    projectedTokens: Math.max(0, promptTokens - raw),
    rawTokensOutsideTail: raw,
    thresholdTokens: sizes.triggerTokens,
    thresholdSource: sizes.thresholdSource,
  };
  return { stateChange: stateChange({ debt }), dueInMs };
}

/** Above the threshold nothing but used-up calls holds work back. */
function spendRestMs({ state }: DeferredGround, now: Date): number {
  return Math.max(0, (state.spend?.backoffUntil?.getTime() ?? 0) - now.getTime());
}

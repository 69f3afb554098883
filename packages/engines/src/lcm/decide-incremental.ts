import type { LcmConfig } from '@palimpsest/core';
import type { CacheState } from './cache-state.ts';

export interface IncrementalInput {
  rawOutsideTail: number;
  leafTriggerTokens: number;
  promptTokens: number;
  triggerTokens: number;
  /** Tokens that a prompt may have. */
  budgetTokens: number;
  cache: CacheState;
  settings: LcmConfig['cache_aware_compaction'];
  mostPasses: number;
}

export type IncrementalDecision =
  | { kind: 'nothing' }
  | { kind: 'defer'; reason: 'hot-cache-budget-headroom' | 'hot-cache-defer' }
  | {
      kind: 'work';
      reason: 'budget-trigger' | 'leaf-trigger' | 'cold-cache-catchup';
      passes: number;
      condense: boolean;
    };

/**
 * What is done about messages outside the tail. A hot cache puts off what can wait, a cold one does more; nothing holds
 * back work above the threshold.
 */
export function decideIncremental(input: IncrementalInput): IncrementalDecision {
  const { rawOutsideTail, leafTriggerTokens, promptTokens, triggerTokens, settings } = input;
  if (rawOutsideTail < leafTriggerTokens) return { kind: 'nothing' };
  if (promptTokens > triggerTokens) {
    const passes = Math.ceil((promptTokens - triggerTokens) / leafTriggerTokens);
    return {
      kind: 'work',
      reason: 'budget-trigger',
      passes: Math.min(input.mostPasses, passes),
      condense: true,
    };
  }
  const cache = settings.enabled ? input.cache : 'unknown';
  if (cache === 'hot' && !isCritical(input)) {
    if (promptTokens <= input.budgetTokens * (1 - settings.hot_cache_budget_headroom_ratio))
      return { kind: 'defer', reason: 'hot-cache-budget-headroom' };
    if (rawOutsideTail < settings.hot_cache_pressure_factor * leafTriggerTokens)
      return { kind: 'defer', reason: 'hot-cache-defer' };
  }
  if (cache === 'cold') {
    const passes = Math.min(input.mostPasses, settings.max_cold_cache_catchup_passes);
    return { kind: 'work', reason: 'cold-cache-catchup', passes, condense: true };
  }
  return { kind: 'work', reason: 'leaf-trigger', passes: 1, condense: cache !== 'hot' };
}

function isCritical({ promptTokens, budgetTokens, settings }: IncrementalInput): boolean {
  return promptTokens >= budgetTokens * settings.critical_budget_pressure_ratio;
}

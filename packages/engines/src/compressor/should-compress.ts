import type { CompressDecision, CompressionConfig, ContextState } from '@palimpsest/core';
import type { Limits } from './measure.ts';
import { isBreakerOpen, isFailureRest, isStructuralRest } from './rests.ts';

/** Fewer live rows hold nothing that could be taken out. */
const leastRows = 4;

/**
 * Whether the next prompt needs room. The hard limit wins over every rest; below it a cooldown, two runs in a row that did
 * not help and the wait for a real count after a compaction hold automatic runs back.
 */
export function decideCompress(
  state: ContextState,
  limits: Limits,
  config: CompressionConfig,
): CompressDecision {
  const { session, promptTokens } = state;
  if (!config.enabled) return { kind: 'no', reason: 'none' };
  if (promptTokens >= limits.hardLimitTokens) return { kind: 'now', reason: 'hard_limit' };
  const wantsPlan = config.background && promptTokens >= limits.prepareTokens;
  if (promptTokens < limits.triggerTokens && !wantsPlan) return { kind: 'no', reason: 'below_threshold' };
  if (state.liveRows < leastRows) return { kind: 'no', reason: 'too_few_messages' };
  // The latch: right after a compaction only a real count may start another one.
  if (session.lastPromptTokens === -1 && state.source === 'estimate')
    return { kind: 'no', reason: 'below_threshold' };
  const isBelow = promptTokens < limits.triggerTokens;
  if (isFailureRest(session, state.now) || isStructuralRest(session, state.now))
    return { kind: 'no', reason: isBelow ? 'below_threshold' : 'cooldown' };
  if (isBreakerOpen(session, state.now))
    return { kind: 'no', reason: isBelow ? 'below_threshold' : 'breaker_open' };
  return isBelow ? { kind: 'prepare' } : { kind: 'now', reason: 'threshold' };
}

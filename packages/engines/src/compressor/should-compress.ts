import type { CompressDecision, CompressionConfig, ContextState } from '@palimpsest/core';
import type { Limits } from './measure.ts';
import { isResting, isStructuralRest } from './rests.ts';

/** After this many compactions that did not bring the prompt under the trigger, automatic ones stop. */
const mostIneffective = 2;
/** Fewer live rows hold nothing that could be taken out. */
const leastRows = 4;

/**
 * Whether the next prompt needs room. The hard limit wins over every rest; below it a cooldown, two ineffective runs and
 * the wait for a real count after a compaction hold automatic runs back.
 * source: spec/compressor.md sections 9 and 10; decisions.md 1
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
  // At the trigger a look ahead that found nothing is asked again: what has come since may go.
  const mayLookAgain = config.background && !isBelow && isStructuralRest(session, state.now);
  if (isResting(session, state.now) && !mayLookAgain)
    return { kind: 'no', reason: isBelow ? 'below_threshold' : 'cooldown' };
  if (session.ineffectiveStreak >= mostIneffective)
    return { kind: 'no', reason: isBelow ? 'below_threshold' : 'breaker_open' };
  return isBelow ? { kind: 'prepare' } : { kind: 'now', reason: 'threshold' };
}

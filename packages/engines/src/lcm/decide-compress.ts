import type { CompressDecision, Config, ContextState, LcmSpend } from '@palimpsest/core';
import { isBreakerOpen, isFailureRest, isStructuralRest } from '../compressor/rests.ts';
import type { Sizes } from './sizes.ts';

/** Fewer items hold nothing that could be taken out. */
const leastItems = 4;

/**
 * Whether the next prompt needs room: strictly above the threshold. The hard limit wins over every rest; where system text
 * and tools alone pass the threshold no compaction could help, and only the hard limit rules.
 */
export function decideCompress(
  state: ContextState,
  sizes: Sizes,
  { config, spend }: { config: Config; spend: LcmSpend | null },
): CompressDecision {
  const { promptTokens, session, now } = state;
  if (promptTokens >= sizes.hardLimitTokens) return { kind: 'now', reason: 'hard_limit' };
  const isOver = promptTokens > sizes.triggerTokens;
  const isAhead = config.compression.background && promptTokens >= sizes.prepareTokens;
  if ((!isOver && !isAhead) || sizes.overheadTokens > sizes.triggerTokens)
    return { kind: 'no', reason: 'below_threshold' };
  if (state.liveRows < leastItems) return { kind: 'no', reason: 'too_few_messages' };
  // Right after a compaction only a real count may start another one.
  if (session.lastPromptTokens === -1 && state.source === 'estimate')
    return { kind: 'no', reason: 'below_threshold' };
  if (isSpent(spend, now)) return { kind: 'no', reason: isOver ? 'spend_limit' : 'below_threshold' };
  if (isFailureRest(session, now) || isStructuralRest(session, now))
    return { kind: 'no', reason: isOver ? 'cooldown' : 'below_threshold' };
  if (isBreakerOpen(session, now)) return { kind: 'no', reason: isOver ? 'breaker_open' : 'below_threshold' };
  return isOver ? { kind: 'now', reason: 'threshold' } : { kind: 'prepare' };
}

/** The summary calls of this session are used up until later. */
function isSpent(spend: LcmSpend | null, now: Date): boolean {
  return spend !== null && spend.backoffUntil !== null && spend.backoffUntil > now;
}

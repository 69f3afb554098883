import type { LcmState, LcmStatus } from '@palimpsest/core';
import type { CacheState } from './cache-state.ts';
import type { Sizes } from './sizes.ts';

/** The state of a session's history in plain lines, for people and for lcm_describe. Counts and times only. */
export function statusLines(
  status: LcmStatus,
  state: Pick<LcmState, 'breakers' | 'spend' | 'now'>,
  { sizes, cache, contextTokens }: { sizes: Sizes; cache: CacheState; contextTokens: number },
): readonly string[] {
  const depths = status.summariesByDepth.map((count, depth) => `${count} of depth ${depth}`);
  return [
    `${status.liveMessages} messages word for word (${number(status.liveMessageTokens)} tokens), ${status.coveredMessages} under summaries.`,
    `${status.items} summaries in the context (${number(status.itemTokens)} tokens); in all: ${depths.join(', ') || 'none'}.`,
    `About ${number(contextTokens + sizes.overheadTokens)} of ${number(sizes.windowTokens)} tokens; older messages are summarised above ${number(sizes.triggerTokens)}.`,
    debtLine(status),
    breakerLine(state),
    `Prompt cache: ${cache}. Stored files: ${status.files}.`,
  ];
}

function debtLine({ debt }: LcmStatus): string {
  if (!debt?.pending) return 'No work is owed.';
  const attempts = debt.retryAttempts === 0 ? '' : `, tried ${debt.retryAttempts} times`;
  return `Work is owed (${debt.reason}${debt.running ? ', running' : ''}${attempts}).`;
}

function breakerLine({ breakers, spend, now }: Pick<LcmState, 'breakers' | 'spend' | 'now'>): string {
  const open = breakers.filter(({ openUntil }) => openUntil !== null && openUntil > now);
  const resting = open.map(({ provider, model }) => (provider === '' ? model : `${provider}/${model}`));
  if (resting.length > 0) return `Summary models at rest after failures: ${resting.join(', ')}.`;
  if (spend?.backoffUntil && spend.backoffUntil > now)
    return 'The summary calls of this session are used up for now.';
  return 'The summary model is free.';
}

function number(tokens: number): string {
  return tokens.toLocaleString('en');
}

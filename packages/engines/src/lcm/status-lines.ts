import type { LcmState, LcmStatus } from '@palimpsest/core';
import type { Say } from '../words/say.ts';
import type { CacheState } from './cache-state.ts';
import type { Sizes } from './sizes.ts';

const cacheTexts = { hot: 'cacheHot', cold: 'cacheCold', unknown: 'cacheUnknown' } as const;

/** The state of a session's history in plain lines, for people and for lcm_describe. Counts and times only. */
export function statusLines(
  status: LcmStatus,
  state: Pick<LcmState, 'breakers' | 'spend' | 'now'>,
  { sizes, cache, contextTokens, say }: { sizes: Sizes; cache: CacheState; contextTokens: number; say: Say },
): readonly string[] {
  const depths = status.summariesByDepth.map((count, depth) =>
    say('lcmDepth', { count: say.number(count), depth }),
  );
  return [
    say('lcmKept', {
      live: say.counted(status.liveMessages, 'message'),
      tokens: say.number(status.liveMessageTokens),
      covered: say.number(status.coveredMessages),
    }),
    say('lcmShown', {
      summaries: say.counted(status.items, 'summary'),
      tokens: say.number(status.itemTokens),
      depths: depths.join(', ') || say('none'),
    }),
    say('lcmSize', {
      tokens: say.number(contextTokens + sizes.overheadTokens),
      window: say.number(sizes.windowTokens),
      trigger: say.number(sizes.triggerTokens),
    }),
    debtLine(status, say),
    breakerLine(state, say),
    say('lcmCache', { cache: say(cacheTexts[cache]), files: say.number(status.files) }),
  ];
}

function debtLine({ debt }: LcmStatus, say: Say): string {
  if (!debt?.pending) return say('lcmNoDebt');
  const { reason, running, retryAttempts: count } = debt;
  return say('lcmDebt', {
    reason,
    running: running ? say('lcmRunning') : '',
    tried: count === 0 ? '' : say('lcmTried', { count }),
  });
}

function breakerLine(
  { breakers, spend, now }: Pick<LcmState, 'breakers' | 'spend' | 'now'>,
  say: Say,
): string {
  const open = breakers.filter(({ openUntil }) => openUntil !== null && openUntil > now);
  const resting = open.map(({ provider, model }) => (provider === '' ? model : `${provider}/${model}`));
  if (resting.length > 0) return say('lcmResting', { models: resting.join(', ') });
  return say(spend?.backoffUntil && spend.backoffUntil > now ? 'lcmSpent' : 'lcmFree');
}

import { notice, type ModelInfo, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import type { Say } from '../words/say.ts';
import { figureSource } from './figure-source.ts';

/** What a person sees on /status: how full the context is and where the figure comes from. */
export function statusText(claimed: ClaimedSession, running: Turn | null, say: Say): string {
  const { session, deps } = claimed;
  const { info } = deps.model;
  const state = claimed.state();
  const { promptTokens, budget } = state;
  const percent = Math.min(100, Math.round((promptTokens / budget.windowTokens) * 100));
  const lines = [
    say('statusContext', {
      percent,
      window: say.number(budget.windowTokens),
      tokens: say.number(promptTokens),
      source: figureSource(claimed, state, say),
    }),
    condensedText(session.compactionCount, say),
    say('statusModel', { model: info.label, engine: claimed.engine.name }),
    ...cachingLines(info, say),
    say(running ? 'answerRuns' : 'noAnswerRuns'),
    ...claimed.engine.getStatus(budget, say.language).lines,
  ];
  return notice(lines.join('\n'));
}

function condensedText(times: number, say: Say): string {
  if (times === 0) return say('statusNotCondensed');
  return times === 1 ? say('statusCondensedOnce') : say('statusCondensed', { times: say.number(times) });
}

/** Nothing of the offline responder is cached, so there is nothing to say. */
function cachingLines({ provider, caching, cachingOff }: ModelInfo, say: Say): string[] {
  if (provider === 'offline') return [];
  if (cachingOff) return [say('cachingOff')];
  return [caching ? say('cachingOn', { caching }) : say('cachingProvider')];
}

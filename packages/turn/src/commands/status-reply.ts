import type { Spending, Turn } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import type { Say } from '../words/say.ts';
import { statusText } from './status-text.ts';

/** The answer to /status: what is known here, and what the session's calls have cost so far. */
export async function statusReply(claimed: ClaimedSession, running: Turn | null, say: Say): Promise<string> {
  const { usage } = claimed.deps.store;
  const spent = usage ? await usage.ofSession(claimed.session.id) : null;
  return [statusText(claimed, running, say), ...(spent ? spendingLines(spent, say) : [])].join('\n');
}

/** Nothing to say before the first priced call, nor where no price is known. */
function spendingLines(spent: Spending, say: Say): string[] {
  const { calls, unpricedCalls, dollars, promptTokens, cacheReadTokens } = spent;
  if (calls === 0 || calls === unpricedCalls || dollars === 0) return [];
  const cached = promptTokens > 0 ? Math.round((cacheReadTokens / promptTokens) * 100) : 0;
  const unpriced = unpricedCalls > 0 ? say('statusUnpriced', { count: unpricedCalls }) : '';
  return [
    say('statusCost', {
      dollars: say.dollars(dollars),
      calls: say.counted(calls, 'modelCall'),
      unpriced,
      cached,
    }),
  ];
}

import { dollarWords, type Spending, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { statusText } from './status-text.ts';

/** The answer to /status: what is known here, and what the session's calls have cost so far. */
export async function statusReply(claimed: ClaimedSession, running: Turn | null): Promise<string> {
  const { usage } = claimed.deps.store;
  const spent = usage ? await usage.ofSession(claimed.session.id) : null;
  return [statusText(claimed, running), ...(spent ? spendingLines(spent) : [])].join('\n');
}

/** Nothing to say before the first priced call, nor where no price is known. */
function spendingLines({ calls, unpricedCalls, dollars, promptTokens, cacheReadTokens }: Spending): string[] {
  if (calls === 0 || calls === unpricedCalls || dollars === 0) return [];
  const cached = promptTokens > 0 ? Math.round((cacheReadTokens / promptTokens) * 100) : 0;
  const unpriced = unpricedCalls > 0 ? `, ${unpricedCalls} of them without a known price` : '';
  return [
    `Cost so far: ${dollarWords(dollars)} in ${calls.toLocaleString('en')} model ${calls === 1 ? 'call' : 'calls'}${unpriced}; ${cached} % of what was read came from the cache.`,
  ];
}

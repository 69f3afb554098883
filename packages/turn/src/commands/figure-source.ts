import type { ContextState } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import type { Say } from '../words/say.ts';

/** Who says how large the context is, and how old the figure is: an estimate is made now, a count came with an answer. */
export function figureSource(claimed: ClaimedSession, { source }: ContextState, say: Say): string {
  // The offline responder counts nothing: what it reports is our own estimate.
  if (source !== 'api' || claimed.deps.model.info.provider === 'offline') return say('estimated');
  const answeredAt = lastCountedAt(claimed);
  if (!answeredAt) return say('countedByModel');
  return say('countedAtAnswer', { ago: say.ago(claimed.deps.clock.now().getTime() - answeredAt.getTime()) });
}

/** The answer that came with the count is the first row above what was counted. */
function lastCountedAt({ session, view }: ClaimedSession): Date | null {
  const answer = view.rows.find(({ seq }) => seq > session.lastPricedSeq);
  return answer?.role === 'assistant' ? answer.sentAt : null;
}

import { notice, accountKey, type FellBack, type ModelFailureKind, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';

/**
 * Another model took over, or the first one is back: into the log, and one line to the person together with the event that
 * operators keep. Never in silence.
 */
export async function tellFallback(claimed: ClaimedSession, turn: Turn, change: FellBack): Promise<void> {
  const { deps, session } = claimed;
  const { promptTokens } = claimed.state();
  deps.logger.warn(
    { sessionId: session.id, turnId: turn.id, ...change, promptTokens },
    'another model answers; it reads the whole conversation anew at full price',
  );
  const read = `It reads the whole conversation anew at full price, about ${promptTokens.toLocaleString('en')} tokens.`;
  const text = change.why
    ? `${change.from} does not answer (${reasonOf(change.why)}); ${change.to} answers instead. ${read}`
    : `${change.to} is tried again instead of ${change.from}. ${read}`;
  await deps.store.turns.addReplies(
    claimed.lease,
    [
      {
        key: `fallback-${turn.id}-${change.from}-${change.to}`,
        chat: turn.chat,
        kind: 'notice',
        text: notice(text),
        turnId: turn.id,
      },
    ],
    [{ type: 'model:fallback', sessionId: session.id, turnId: turn.id, ...change, promptTokens }],
  );
  await deps.queue.deliver(accountKey(turn.chat.account));
}

function reasonOf(why: ModelFailureKind): string {
  switch (why) {
    case 'overflow':
      return 'the conversation no longer fits it, even after condensing';
    case 'rate_limited':
    case 'overloaded':
      return 'it is busy';
    case 'quota':
      return "its account's limit is used up";
    case 'auth':
    case 'model_not_found':
      return 'it cannot be used as it is set up';
    default:
      return 'it cannot be reached';
  }
}

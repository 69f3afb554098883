import { notice, accountKey, type FellBack, type ModelFailureKind, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { sayIn, type TextName } from './words/say.ts';

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
  const say = sayIn(turn.chat);
  const text = say(change.why ? 'fellBack' : 'cameBack', {
    from: change.from,
    to: change.to,
    why: change.why ? say(reasonOf(change.why)) : '',
    price: say('fullPrice', { tokens: say.number(promptTokens) }),
  });
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

function reasonOf(why: ModelFailureKind): TextName {
  switch (why) {
    case 'overflow':
      return 'becauseOverflow';
    case 'rate_limited':
    case 'overloaded':
      return 'becauseBusy';
    case 'quota':
      return 'becauseQuota';
    case 'auth':
    case 'model_not_found':
      return 'becauseSetup';
    default:
      return 'becauseUnreachable';
  }
}

/** What a failed send means for the reply. */
import type { SendResult } from '@palimpsest/core';
import { isTokenRefused, type BotApiFailure } from './read-failure.ts';

/** Wait when Telegram says "too many requests" without saying how long. */
const usualWaitMs = 5_000;

// The chat is gone or does not let us write; said again after a person writes there. Wordings of Telegram's server, 400 except where noted.
const unreachable = [
  'chat not found',
  'PEER_ID_INVALID',
  'group chat was deactivated',
  'group chat was deleted',
  'have no rights to send a message',
  'not enough rights to send text messages to the chat',
  'CHAT_WRITE_FORBIDDEN',
  'CHAT_RESTRICTED',
  'USER_DEACTIVATED',
];

/**
 * A failure in the words of the outbox.
 *
 * 500, 502 and 503 come from a server that is down or restarting in front of the one that sends, so the message is not
 * out and is sent again unmarked. 504 means that someone in between stopped waiting: the message may be out. So it may
 * after every connection that broke once the request could have left.
 */
export function toSendResult(failure: BotApiFailure): SendResult {
  if (failure.kind === 'not_sent')
    return { kind: 'retry', message: `no connection to Telegram: ${failure.description}` };
  if (failure.kind === 'lost')
    return { kind: 'unknown', message: `the answer was lost: ${failure.description}` };
  if (isTokenRefused(failure))
    return { kind: 'retry', message: 'Telegram refuses the token; put a valid one into TELEGRAM_BOT_TOKEN' };
  if (failure.kind === 'foreign') return byStatus(failure, 'retry');
  const { code, description } = failure;
  if (failure.migratedTo !== null) return { kind: 'moved', toChatId: failure.migratedTo };
  // Telegram does not say whether the chat or the whole bot is too fast; a chat's limit is the one that is met first.
  if (code === 429) return { kind: 'wait', waitMs: failure.retryAfterMs ?? usualWaitMs, scope: 'chat' };
  if (code === 403 || unreachable.some((wording) => description.includes(wording)))
    return { kind: 'unreachable', message: description };
  return byStatus(failure, 'failed');
}

/** `refusal`: what a 4xx means. A proxy's may be gone next time, Telegram's will not. */
function byStatus(
  { code, description }: { code: number; description: string },
  refusal: 'retry' | 'failed',
): SendResult {
  if (code >= 400 && code < 500) return { kind: refusal, message: description };
  if (code === 500 || code === 502 || code === 503) return { kind: 'retry', message: description };
  return { kind: 'unknown', message: description };
}

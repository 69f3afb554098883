import { notice, type ChatTarget, type MailboxRow, type ModelFailure } from '@palimpsest/core';
import { sayIn, type Say, type TextName } from './words/say.ts';

/* What the service itself says to people, in the language of the chat where that is known: short, no stack, no config keys. */

/** One of the fixed texts, for that chat. */
export function noticeIn(chat: ChatTarget, text: TextName): string {
  return notice(sayIn(chat)(text));
}

/** For whoever asked with a row: operators read English. */
export function sayTo({ chat, content }: MailboxRow): Say {
  return sayIn(content.kind === 'operator' ? {} : chat);
}

/** In plain words, with an id by which operators find the turn in the log. */
export function failureText(chat: ChatTarget, failure: ModelFailure, turnId: string): string {
  const say = sayIn(chat);
  return notice(`${failureReason(say, failure)} ${say('messageKept')} (${turnId.slice(0, 8)})`);
}

/** Why the model gave no answer, in one or two sentences. */
export function failureReason(say: Say, failure: ModelFailure): string {
  switch (failure.kind) {
    case 'overflow':
      return say('failedOverflow');
    case 'rate_limited':
    case 'overloaded':
      return say('failedBusy');
    case 'quota':
      return say('failedQuota', { until: untilWords(say, failure.retryAfterMs) });
    case 'auth':
    case 'model_not_found':
      return say('failedSetup');
    case 'timeout':
    case 'network':
    case 'stream_cut':
    case 'server_error':
      return say('failedUnreachable');
    case 'bad_request':
      return say('failedRefused');
    case 'aborted':
      return say('failedStopped');
  }
}

/** A subscription says when its limit ends; a prepaid account does not. */
function untilWords(say: Say, retryAfterMs: number | undefined): string {
  if (retryAfterMs === undefined) return '';
  const minutes = Math.ceil(retryAfterMs / 60_000);
  return minutes < 120
    ? say('forMinutes', { count: minutes })
    : say('forHours', { count: Math.round(minutes / 60) });
}

/** Messages that waited before a command that makes them pointless; empty when there were none. */
export function withdrawnText(chat: ChatTarget, withdrawn: number): string {
  if (withdrawn === 0) return '';
  const say = sayIn(chat);
  return withdrawn === 1 ? say('droppedOne') : say('droppedMany', { count: say.number(withdrawn) });
}

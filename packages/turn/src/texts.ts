import { notice, type ChatTarget, type MailboxRow, type ModelFailure } from '@palimpsest/core';
import { sayIn, type Say, type TextName } from './words/say.ts';
import { fill, wordsFor } from './words/words-for.ts';
import type { Words } from './words/words.ts';

/* What the service itself says to people, in the language of the chat where that is known: short, no stack, no config keys. */

/** One of the fixed texts, for that chat. */
export function noticeIn(chat: ChatTarget, text: TextName): string {
  return notice(wordsFor(chat)[text]);
}

/** For whoever asked with a row: operators read English. */
export function sayTo({ chat, content }: MailboxRow): Say {
  return sayIn(content.kind === 'operator' ? {} : chat);
}

/** In plain words, with an id by which operators find the turn in the log. */
export function failureText(chat: ChatTarget, failure: ModelFailure, turnId: string): string {
  const words = wordsFor(chat);
  return notice(`${failureReason(words, failure)} ${words.messageKept} (${turnId.slice(0, 8)})`);
}

function failureReason(words: Words, failure: ModelFailure): string {
  switch (failure.kind) {
    case 'overflow':
      return words.failedOverflow;
    case 'rate_limited':
    case 'overloaded':
      return words.failedBusy;
    case 'quota':
      return fill(words.failedQuota, { until: untilWords(words, failure.retryAfterMs) });
    case 'auth':
    case 'model_not_found':
      return words.failedSetup;
    case 'timeout':
    case 'network':
    case 'stream_cut':
    case 'server_error':
      return words.failedUnreachable;
    case 'bad_request':
      return words.failedRefused;
    case 'aborted':
      return words.failedStopped;
  }
}

/** A subscription says when its limit ends; a prepaid account does not. */
function untilWords(words: Words, retryAfterMs: number | undefined): string {
  if (retryAfterMs === undefined) return '';
  const minutes = Math.ceil(retryAfterMs / 60_000);
  return minutes < 120
    ? fill(words.forMinutes, { count: minutes })
    : fill(words.forHours, { count: Math.round(minutes / 60) });
}

/** Messages that waited before a command that makes them pointless; empty when there were none. */
export function withdrawnText(chat: ChatTarget, withdrawn: number): string {
  if (withdrawn === 0) return '';
  const words = wordsFor(chat);
  return withdrawn === 1 ? words.droppedOne : fill(words.droppedMany, { count: withdrawn });
}

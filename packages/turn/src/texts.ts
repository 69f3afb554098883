import { type ModelFailure, notice } from '@palimpsest/core';

/* What the service itself says to people: short, no stack, no config keys. */

export function failureText(failure: ModelFailure, turnId: string): string {
  return notice(`${failureReason(failure)} Your message is kept. (${turnId.slice(0, 8)})`);
}

function failureReason(failure: ModelFailure): string {
  switch (failure.kind) {
    case 'overflow':
      return 'This conversation no longer fits the model, even after condensing it. /new starts a new chapter; nothing is lost.';
    case 'rate_limited':
    case 'overloaded':
      return 'The model is busy and did not answer in time. Please write again in a little while.';
    case 'quota':
      return `The model account's limit is used up${untilWords(failure.retryAfterMs)}, so I cannot answer now. The operator has been told in the log.`;
    case 'auth':
    case 'model_not_found':
      return 'The model could not be used as it is set up. The operator has been told in the log.';
    case 'timeout':
    case 'network':
    case 'stream_cut':
    case 'server_error':
      return 'The model could not be reached or broke off. Please write again.';
    case 'bad_request':
      return 'The model refused the request. The operator has been told in the log.';
    case 'aborted':
      return 'The answer was stopped.';
  }
}

/** A subscription says when its limit ends; a prepaid account does not. */
function untilWords(retryAfterMs: number | undefined): string {
  if (retryAfterMs === undefined) return '';
  const minutes = Math.ceil(retryAfterMs / 60_000);
  return minutes < 120 ? ` for ${minutes} minutes` : ` for about ${Math.round(minutes / 60)} hours`;
}

/** Messages that waited before a command that makes them pointless; empty when there were none. */
export function withdrawnText(withdrawn: number): string {
  if (withdrawn === 0) return '';
  return withdrawn === 1
    ? ' One waiting message was dropped.'
    : ` ${withdrawn} waiting messages were dropped.`;
}

export const stoppedText = notice('Stopped.');
export const interruptedText = notice('Stopped for your newer message.');
export const stoppingText = notice('The answer is being stopped.');
export const nothingToStopText = notice('Nothing is running.');
export const buriedText = notice(
  'I could not finish an answer to your last message after several tries. It is kept; please send it again or rephrase it.',
);
export const cutText = '\n\n… (the answer reached its length limit; say "go on" for more)';
export const timeoutText = notice('The answer took too long and was ended. Say "go on" to continue.');

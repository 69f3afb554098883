import type { Refusal, Sizes } from '../dialect.ts';
import { faultRefusal as chatFault } from '../openai-chat/errors.ts';
import type { StatusFault } from '../script.ts';

/** A second in the far future, so that tests can name it. */
const RESETS_AT_SECONDS = 1_800_000_000;

/** The prompt, or the prompt with the answer asked for, is over the window; the text names no figure. */
export function overflow({ promptTokens, window }: Sizes): Refusal {
  return {
    status: 400,
    type: 'invalid_request_error',
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    param: 'input',
    code: 'context_length_exceeded',
    counts: promptTokens > window ? 'overflow' : 'output',
  };
}

/** A scripted status answer in this service's words. */
export function faultRefusal(kind: StatusFault, sizes: Sizes, codex: boolean): Refusal {
  if (kind === 'overflow') return { ...overflow(sizes), counts: 'nothing' };
  if (kind === 'insufficient_quota' && codex) {
    return {
      status: 429,
      type: 'usage_limit_reached',
      message: 'The usage limit has been reached',
      details: { plan_type: 'plus', resets_at: RESETS_AT_SECONDS },
      counts: 'nothing',
    };
  }
  return chatFault(kind, sizes);
}

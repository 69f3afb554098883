import type { Refusal, Sizes } from '../dialect.ts';
import type { StatusFault } from '../script.ts';

/** Prompt alone over the window. */
export function overflow({ promptTokens, window }: Sizes): Refusal {
  const message =
    `This model's maximum context length is ${window} tokens. However, your messages resulted in ${promptTokens} ` +
    'tokens. Please reduce the length of the messages.';
  return tooLong(message, 'overflow');
}

/** Prompt fits, but not with the answer asked for. */
export function outputOverflow({ promptTokens, wantedTokens, window }: Sizes): Refusal {
  const message =
    `This model's maximum context length is ${window} tokens. However, you requested ${promptTokens + wantedTokens} ` +
    `tokens (${promptTokens} in the messages, ${wantedTokens} in the completion). Please reduce the length of the ` +
    'messages or completion.';
  return tooLong(message, 'output');
}

/** The same two in the aggregator's words: no code of its own, the envelope carries the HTTP number. */
export function openRouterOverflow({ promptTokens, wantedTokens, window }: Sizes): Refusal {
  const message =
    `This endpoint's maximum context length is ${window} tokens. However, you requested about ` +
    `${promptTokens + wantedTokens} tokens (${promptTokens} of text input, ${wantedTokens} in the output). Please ` +
    'reduce the length of either one.';
  return { status: 400, type: '', message, counts: promptTokens > window ? 'overflow' : 'output' };
}

/** A scripted status answer in this service's words. */
export function faultRefusal(kind: StatusFault, sizes: Sizes): Refusal {
  if (kind === 'overflow') {
    return {
      ...overflow({ ...sizes, promptTokens: Math.max(sizes.promptTokens, sizes.window + 1) }),
      counts: 'nothing',
    };
  }
  return { ...FAULTS[kind], counts: 'nothing' };
}

function tooLong(message: string, counts: Refusal['counts']): Refusal {
  const code = 'context_length_exceeded';
  return { status: 400, type: 'invalid_request_error', message, param: 'messages', code, counts };
}

const FAULTS: Record<Exclude<StatusFault, 'overflow'>, Omit<Refusal, 'counts'>> = {
  overloaded: {
    status: 503,
    type: 'server_error',
    message: 'The engine is currently overloaded, please try again later',
  },
  rate_limit: {
    status: 429,
    type: 'requests',
    message: 'Rate limit reached for requests. Please try again later.',
    code: 'rate_limit_exceeded',
  },
  insufficient_quota: {
    status: 429,
    type: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
    code: 'insufficient_quota',
  },
  auth: {
    status: 401,
    type: 'invalid_request_error',
    message: 'Incorrect API key provided.',
    code: 'invalid_api_key',
  },
  permission: {
    status: 403,
    type: 'invalid_request_error',
    message: 'Project does not have access to this model.',
    code: 'model_not_found',
  },
  server_error: {
    status: 500,
    type: 'server_error',
    message: 'The server had an error while processing your request. Sorry about that!',
  },
  timeout: { status: 504, type: 'server_error', message: 'Gateway Timeout' },
  too_large: { status: 413, type: 'invalid_request_error', message: 'Request body is too large.' },
  bad_request: { status: 400, type: 'invalid_request_error', message: 'Invalid request.' },
};

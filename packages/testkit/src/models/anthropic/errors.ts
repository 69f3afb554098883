import type { Refusal, Sizes } from '../dialect.ts';
import type { StatusFault } from '../script.ts';

/** Prompt alone over the window: no code, only the text carries the figures. */
export function overflow({ promptTokens, window }: Sizes): Refusal {
  const message = `prompt is too long: ${promptTokens} tokens > ${window} maximum`;
  return { status: 400, type: 'invalid_request_error', message, counts: 'overflow' };
}

/** Prompt fits, but not with the answer asked for. */
export function outputOverflow({ promptTokens, wantedTokens, window }: Sizes): Refusal {
  const message =
    `input length and \`max_tokens\` exceed context limit: ${promptTokens} + ${wantedTokens} > ${window}, ` +
    'decrease input length or `max_tokens` and try again';
  return { status: 400, type: 'invalid_request_error', message, counts: 'output' };
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

const FAULTS: Record<Exclude<StatusFault, 'overflow'>, Omit<Refusal, 'counts'>> = {
  overloaded: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
  rate_limit: {
    status: 429,
    type: 'rate_limit_error',
    message: "This request would exceed your organization's rate limit. Please try again later.",
    code: 'ramp_limit_exceeded',
  },
  insufficient_quota: {
    status: 429,
    type: 'rate_limit_error',
    message: 'You have reached your specified API usage limits.',
    code: 'enforced_spend_limit_reached',
  },
  auth: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  permission: {
    status: 403,
    type: 'permission_error',
    message: 'Your API key does not have permission to use the specified resource.',
  },
  server_error: { status: 500, type: 'api_error', message: 'Internal server error' },
  timeout: { status: 504, type: 'timeout_error', message: 'The request timed out.' },
  too_large: { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' },
  bad_request: { status: 400, type: 'invalid_request_error', message: 'Error' },
};

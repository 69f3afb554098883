import type { ModelFailure, ModelFailureKind } from '@palimpsest/core';

import { codeKinds, overflowWordings, quotaWordings, rateLimitWordings } from './error-table.ts';
import type { Wording } from './error-table.ts';
import type { ProviderError } from './provider-error.ts';
import { retryAfterMs } from './retry-after.ts';

/** Kinds that another try may pass. */
const passing: ReadonlySet<ModelFailureKind> = new Set([
  'rate_limited',
  'overloaded',
  'timeout',
  'network',
  'stream_cut',
  'server_error',
]);

const advice: Record<ModelFailureKind, string> = {
  overflow: 'the prompt does not fit the model',
  rate_limited: 'too many requests; wait and try again',
  overloaded: 'the model is overloaded; try again',
  quota: 'the account has no credit or quota left; top it up or use another key',
  auth: 'the key is refused or may not use this model; check it',
  model_not_found: 'the model does not exist there; check model.name in the config',
  timeout: 'no answer in time; try again',
  network: 'the connection failed; check the network and model.base_url',
  stream_cut: 'the answer broke off; try again',
  bad_request: 'the request is refused; this is a fault of ours or of the config',
  server_error: 'the server failed; try again',
  aborted: 'stopped on request',
};

/**
 * Decide what an error answer is: money → rate-limit wordings → codes → 413 → overflow wordings → status.
 * Money first: an exhausted account often answers with the status of a rate limit.
 */
export function classify(error: ProviderError, now: Date): ModelFailure {
  const kind = kindOf(error);
  const figures = kind === 'overflow' ? figuresOf(error.text) : {};
  const wait = retryAfterMs(error.header, now);
  const says = error.header('x-should-retry');
  return {
    ...failure(kind, describe(error)),
    // Whatever a server says of trying again: no waiting of ours fills an account.
    ...(kind !== 'quota' && (says === 'true' || says === 'false') ? { retryable: says === 'true' } : {}),
    ...(error.status === null ? {} : { status: error.status }),
    ...(wait === null ? {} : { retryAfterMs: wait }),
    ...figures,
  };
}

/** A failure in our own words. `what`: who answered what, no text of theirs. */
export function failure(kind: ModelFailureKind, what: string): ModelFailure {
  return { kind, retryable: passing.has(kind), message: `${what}: ${advice[kind]}` };
}

function kindOf(error: ProviderError): ModelFailureKind {
  const { status, text } = error;
  const byCode = codeKinds[error.code] ?? codeKinds[error.type];
  if (byCode === 'quota' || status === 402 || matches(quotaWordings, text)) return 'quota';
  if (matches(rateLimitWordings, text)) return 'rate_limited';
  // OpenAI types a too long prompt and much else as invalid_request_error: only codes that say it all are in the table.
  if (byCode) return byCode === 'server_error' ? byStatus(error) : byCode;
  if (status === 413) return 'overflow';
  // Cerebras answers a prompt that is too long with 400 and nothing else.
  if (status === 400 && !error.hasBody) return 'overflow';
  if (matches(overflowWordings, text)) return 'overflow';
  return byStatus(error);
}

function byStatus({ status, type }: ProviderError): ModelFailureKind {
  switch (status) {
    case 401:
    case 403:
      return 'auth';
    case 404:
      return 'model_not_found';
    case 408:
    case 504:
      return 'timeout';
    case 429:
      return 'rate_limited';
    case 503:
    case 529:
      return 'overloaded';
    case 409:
    case null:
      return type === 'invalid_request_error' ? 'bad_request' : 'server_error';
    default:
      return status >= 500 ? 'server_error' : 'bad_request';
  }
}

function matches(wordings: readonly Wording[], text: string): boolean {
  return wordings.some(({ pattern }) => pattern.test(text));
}

/** Prompt and window in tokens, where the text names them. */
function figuresOf(text: string): Pick<ModelFailure, 'reportedPromptTokens' | 'reportedWindowTokens'> {
  for (const { pattern } of overflowWordings) {
    const groups = pattern.exec(text)?.groups;
    if (!groups) continue;
    const prompt = numberOf(groups['prompt'] ?? groups['prompt2']);
    const window = numberOf(groups['window']);
    if (prompt === null && window === null) continue;
    return {
      ...(prompt === null ? {} : { reportedPromptTokens: prompt }),
      ...(window === null ? {} : { reportedWindowTokens: window }),
    };
  }
  return {};
}

function numberOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text.replaceAll(',', ''));
}

function describe({ provider, status, code, type }: ProviderError): string {
  const name = [code, type].find((word) => /^[a-z0-9_.-]{1,60}$/.test(word));
  const detail = name ? ` (${name})` : '';
  return status === null ? `${provider} sent an error${detail}` : `${provider} answered ${status}${detail}`;
}

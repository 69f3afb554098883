import type { ModelFailure } from '@palimpsest/core';

import { StreamAborted, StreamIdle } from '../guard-stream.ts';
import { classify, failure } from './classify.ts';
import { readProviderError } from './provider-error.ts';

/**
 * Whatever a request or its stream threw, as a failure value.
 *
 * opened   the answer had begun (status 200): a broken connection is then a cut stream
 */
export function toFailure(
  thrown: unknown,
  about: { provider: string; opened: boolean; now: Date },
): ModelFailure {
  const { provider, opened, now } = about;
  if (thrown instanceof StreamAborted) return failure('aborted', `the request to ${provider}`);
  if (thrown instanceof StreamIdle)
    return failure('timeout', `${provider} was silent for ${Math.round(thrown.idleMs / 1000)} s`);
  // The SDKs' connection errors look like answers without a status.
  if (isNamed(thrown, 'APIConnectionTimeoutError')) return failure('timeout', `${provider} did not answer`);
  if (isConnectionError(thrown)) return failure('network', `${provider} cannot be reached${codeOf(thrown)}`);
  const answer = readProviderError(thrown, provider);
  if (answer) return classify(answer, now);
  return opened
    ? failure('stream_cut', `${provider}${codeOf(thrown)}`)
    : failure('network', `${provider} cannot be reached${codeOf(thrown)}`);
}

function isConnectionError(thrown: unknown): boolean {
  return isNamed(thrown, 'APIConnectionError') || isNamed(thrown, 'APIUserAbortError');
}

function isNamed(thrown: unknown, name: string): boolean {
  return thrown instanceof Error && thrown.constructor.name === name;
}

/** The system's code (`ECONNREFUSED`) somewhere in the chain of causes. */
function codeOf(thrown: unknown): string {
  for (
    let error: unknown = thrown, depth = 0;
    error instanceof Error && depth < 5;
    error = error.cause, depth++
  ) {
    if ('code' in error && typeof error.code === 'string') return ` (${error.code})`;
  }
  return '';
}

import type { ModelFailure, SummaryAnswer } from '@palimpsest/core';

type Failed = Extract<SummaryAnswer, { kind: 'failed' }>;
type Class = Pick<Failed, 'reason' | 'policy' | 'cooldownMs'>;

const access: Class = { reason: 'summary_auth', policy: 'abort', cooldownMs: 60_000 };
const serverSide: Class = { reason: 'summary_provider_5xx', policy: 'local', cooldownMs: 60_000 };
const timedOut: Class = { reason: 'summary_timeout', policy: 'local', cooldownMs: 60_000 };
const connection: Class = { reason: 'summary_provider_5xx', policy: 'abort', cooldownMs: 30_000 };

/**
 * The class of a failed summary request: what the ledger says, whether the deterministic summary may take its place,
 * and how long to rest.
 */
export function refusalOf(failed: ModelFailure): Failed {
  return { kind: 'failed', message: failed.message, ...classOf(failed) };
}

function classOf({ kind, status }: ModelFailure): Class {
  switch (kind) {
    case 'auth':
      return access;
    case 'quota':
      return { ...access, reason: 'spend_limit' };
    case 'model_not_found':
    case 'bad_request':
      return { reason: 'summary_provider_4xx', policy: 'local', cooldownMs: 60_000 };
    case 'timeout':
      return timedOut;
    case 'rate_limited':
      return { reason: 'summary_rate_limited', policy: 'local', cooldownMs: 60_000 };
    case 'overflow':
      return { reason: 'summary_context_too_small', policy: 'local', cooldownMs: 60_000 };
    case 'overloaded':
      // 503 stands with "not found" in the ladder: the service is not there. 529 is "at capacity".
      return status === 503 ? serverSide : { ...serverSide, policy: 'abort' };
    case 'network':
    case 'stream_cut':
      return connection;
    case 'server_error':
      // 502 stands with the time-outs: something in between got no answer.
      return status === 502 ? timedOut : serverSide;
    case 'aborted':
      return { reason: 'user_cancelled', policy: 'abort', cooldownMs: 0 };
  }
}

import type { ModelFailure, ModelFailureKind } from '@palimpsest/core';

import { failure } from '../errors/classify.ts';
import { isObject, PeerGone, RpcRefused } from './json-peer.ts';

const provider = 'the Codex app-server';
/** "Server overloaded; retry later." */
const overloadedCode = -32001;

/** The server's words for what went wrong; objects carry the HTTP status of the service behind it. */
const kinds: Readonly<Record<string, ModelFailureKind>> = {
  contextWindowExceeded: 'overflow',
  sessionBudgetExceeded: 'quota',
  usageLimitExceeded: 'quota',
  rateLimitExceeded: 'rate_limited',
  serverOverloaded: 'overloaded',
  flexUnavailable: 'overloaded',
  policyCapacityUnavailable: 'overloaded',
  modelNotFound: 'model_not_found',
  internalServerError: 'server_error',
  unauthorized: 'auth',
  badRequest: 'bad_request',
  cyberPolicy: 'bad_request',
  bioPolicy: 'bad_request',
  misalignmentPolicyViolation: 'bad_request',
  sandboxError: 'server_error',
  httpConnectionFailed: 'network',
  responseStreamConnectionFailed: 'network',
  responseStreamDisconnected: 'stream_cut',
  responseTooManyFailedAttempts: 'server_error',
};

/** The error of a turn as a failure; its message may echo the prompt and is left out. */
export function turnFailure(error: unknown): ModelFailure {
  const info = isObject(error) ? error['codexErrorInfo'] : undefined;
  const [name, detail] = isObject(info) ? (Object.entries(info)[0] ?? ['other', null]) : [String(info), null];
  const status = isObject(detail) ? detail['httpStatusCode'] : undefined;
  const failed = failure(kinds[name] ?? 'server_error', `${provider} (${name})`);
  return typeof status === 'number' ? { ...failed, status } : failed;
}

/** What a request to the server threw, as a failure. */
export function requestFailure(thrown: unknown): ModelFailure {
  if (thrown instanceof RpcRefused) {
    const kind = thrown.code === overloadedCode ? 'overloaded' : 'bad_request';
    return failure(kind, `${provider} refused a request (${thrown.code})`);
  }
  if (thrown instanceof PeerGone) return goneFailure(thrown);
  return failure('server_error', provider);
}

/** The program ended, or cannot be started, which no second try changes. */
function goneFailure(gone: PeerGone): ModelFailure {
  if (gone.cause === undefined) return failure('stream_cut', gone.message);
  const message = `${gone.message}: install the Codex program or set model.codex_command`;
  return { kind: 'server_error', retryable: false, message };
}

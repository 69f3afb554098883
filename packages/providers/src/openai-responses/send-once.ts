import type { ModelEvent, ModelFailure, ModelRequest } from '@palimpsest/core';
import type OpenAI from 'openai';

import { SignInFailed } from '../codex-sign-in/sign-in-failed.ts';
import { classify, failure } from '../errors/classify.ts';
import { readProviderError } from '../errors/provider-error.ts';
import type { ProviderError } from '../errors/provider-error.ts';
import { toFailure } from '../errors/to-failure.ts';
import { guardStream } from '../guard-stream.ts';
import { findSilentOverflow } from '../openai-chat/find-silent-overflow.ts';
import type { ClientHelp, Route } from '../route.ts';
import { AnswerFailed, readEvents } from './read-events.ts';
import type { WireEvent } from './read-events.ts';
import type { BuiltBody, ResponsesBody } from './to-body.ts';
import { resetsAfterMs } from './usage-limit.ts';

/** How a request ended without an answer. `error`: the service's own words, where it had some. */
export interface Broken {
  failure: ModelFailure;
  error: ProviderError | null;
  /** Something of the answer was seen, so that it cannot be repeated unseen. */
  streamed: boolean;
}

export interface Sending {
  request: ModelRequest;
  built: BuiltBody;
  route: Route;
  help: ClientHelp;
  /** A client with valid credentials. */
  open(): Promise<{ sdk: OpenAI; headers: Record<string, string> }>;
  signal: AbortSignal;
  idleMs: number;
}

/** One request to its end. Yields everything but failures; returns how it broke, or null after `done`. */
export async function* sendOnce(sending: Sending): AsyncGenerator<ModelEvent, Broken | null> {
  const { route, help, signal, idleMs, built } = sending;
  const provider = route.providerLabel;
  let opened = false;
  let streamed = false;
  let condensed = false;
  const open = async (connection: AbortSignal): Promise<AsyncIterable<WireEvent>> => {
    const { sdk, headers } = await sending.open();
    return create(sdk, built.body, { signal: connection, headers });
  };
  const onOpen = (): void => void (opened = true);
  try {
    const events = guardStream(open, { signal, idleMs, clock: help.clock, onOpen });
    for await (const event of readEvents(events, { issuer: route.info.issuer, provider })) {
      if (event.type === 'done') {
        const ended = finish(sending, event, { isEmpty: !streamed, condensed });
        if (ended.type === 'failed') return { failure: ended.failure, error: null, streamed };
        yield ended;
        return null;
      }
      streamed = true;
      condensed ||= event.type === 'compaction';
      yield event.type === 'compaction' ? { ...event, tokensAfter: built.tokensIfCondensed } : event;
    }
    return { failure: failure('stream_cut', provider), error: null, streamed };
  } catch (thrown) {
    return broken(thrown, { ...sending, opened, streamed });
  }
}

/** The SDK's own types ask for an id and a status of messages that never had one; the service does not. */
async function create(
  sdk: OpenAI,
  body: ResponsesBody,
  options: { signal: AbortSignal; headers: Record<string, string> },
): Promise<AsyncIterable<WireEvent>> {
  return sdk.post<AsyncIterable<WireEvent>>('/responses', { body, stream: true, ...options });
}

function broken(thrown: unknown, seen: Sending & { opened: boolean; streamed: boolean }): Broken {
  const { route, help, opened, streamed } = seen;
  const now = help.clock.now();
  const error = thrown instanceof AnswerFailed ? thrown.said : readProviderError(thrown, route.providerLabel);
  if (thrown instanceof AnswerFailed) return { failure: classify(thrown.said, now), error, streamed };
  if (thrown instanceof SignInFailed) return { failure: signInRefused(thrown.message), error, streamed };
  const failed = toFailure(thrown, { provider: route.providerLabel, opened, now });
  if (failed.kind === 'auth' && route.wire === 'codex_responses') {
    const message = 'the Codex sign-in is refused: sign in again with `codex login`';
    return { failure: { ...failed, message }, error, streamed };
  }
  const resets = failed.kind === 'quota' ? resetsAfterMs(thrown, now) : null;
  return { failure: resets === null ? failed : { ...failed, retryAfterMs: resets }, error, streamed };
}

function signInRefused(message: string): ModelFailure {
  return { kind: 'auth', retryable: false, message };
}

/** The big services refuse what does not fit; other servers may cut it. */
function finish(
  { request, route, built }: Sending,
  done: Extract<ModelEvent, { type: 'done' }>,
  { isEmpty, condensed }: { isEmpty: boolean; condensed: boolean },
): Extract<ModelEvent, { type: 'done' | 'failed' }> {
  const { usage, stop } = done;
  if (route.provider === 'custom') {
    const overflow = findSilentOverflow(request, { provider: route.providerLabel, usage, stop, isEmpty });
    if (overflow) return { type: 'failed', failure: overflow };
  }
  if (!usage || (!condensed && !built.hasCheckpoint)) return done;
  const contextTokens = condensed
    ? Math.min(usage.promptTokens, built.tokensIfCondensed)
    : usage.promptTokens;
  return { ...done, usage: { ...usage, contextTokens } };
}

import type Anthropic from '@anthropic-ai/sdk';
import type { ModelClient, ModelEvent, ModelRequest } from '@palimpsest/core';

import { failure } from '../errors/classify.ts';
import { toFailure } from '../errors/to-failure.ts';
import { guardStream } from '../guard-stream.ts';
import { withRetries } from '../retry.ts';
import type { ClientHelp, Route } from '../route.ts';
import { readStream } from './read-stream.ts';
import { toRequest } from './to-request.ts';

/** Claude through Anthropic's Messages API. The SDK is loaded at the first request. */
export function createAnthropicClient(route: Route, help: ClientHelp): ModelClient {
  let sdk: Promise<Anthropic> | null = null;
  return {
    info: route.info,
    stream(request, signal) {
      const attempt = (): AsyncIterable<ModelEvent> =>
        streamOnce(request, signal, { route, help, sdk: (sdk ??= openSdk(route, help)) });
      return withRetries(attempt, { clock: help.clock, random: help.random, signal });
    },
  };
}

/** Nothing is read from the environment or the SDK's own files, nothing is logged or traced, nothing is retried there. */
async function openSdk(route: Route, help: ClientHelp): Promise<Anthropic> {
  const { Anthropic } = await import('@anthropic-ai/sdk');
  return new Anthropic({
    apiKey: route.apiKey,
    authToken: null,
    baseURL: route.baseUrl,
    maxRetries: 0,
    timeout: help.idleMs,
    logLevel: 'off',
    openTelemetry: false,
    ...(help.fetch ? { fetch: help.fetch } : {}),
  });
}

async function* streamOnce(
  request: ModelRequest,
  signal: AbortSignal,
  context: { route: Route; help: ClientHelp; sdk: Promise<Anthropic> },
): AsyncGenerator<ModelEvent> {
  const { route, help } = context;
  const provider = route.providerLabel;
  const body = toRequest(request, {
    model: route.model,
    issuer: route.info.issuer,
    cache: route.cache,
  });
  let opened = false;
  const open = async (connection: AbortSignal): Promise<AsyncIterable<Anthropic.RawMessageStreamEvent>> =>
    (await context.sdk).messages.create(body, { signal: connection });
  const onOpen = (): void => void (opened = true);
  try {
    const events = guardStream(open, { signal, idleMs: help.idleMs, clock: help.clock, onOpen });
    for await (const event of readStream(events, route.info.issuer)) {
      yield event;
      if (event.type === 'done') return;
    }
    yield { type: 'failed', failure: failure('stream_cut', provider) };
  } catch (thrown) {
    yield { type: 'failed', failure: toFailure(thrown, { provider, opened, now: help.clock.now() }) };
  }
}

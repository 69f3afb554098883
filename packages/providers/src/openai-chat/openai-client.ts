import type { ModelClient, ModelEvent, ModelRequest } from '@palimpsest/core';
import type OpenAI from 'openai';

import { failure } from '../errors/classify.ts';
import { toFailure } from '../errors/to-failure.ts';
import { guardStream } from '../guard-stream.ts';
import { openOpenAiSdk } from '../open-openai-sdk.ts';
import { withRetries } from '../retry.ts';
import type { ClientHelp, Route } from '../route.ts';
import { findSilentOverflow } from './find-silent-overflow.ts';
import { readChunks } from './read-stream.ts';
import type { Chunk } from './read-stream.ts';
import { toMessages } from './to-messages.ts';

type Body = OpenAI.Chat.ChatCompletionCreateParamsStreaming;

/** Any server that speaks OpenAI's chat completions. The SDK is loaded at the first request. */
export function createOpenAiClient(route: Route, help: ClientHelp): ModelClient {
  let sdk: Promise<OpenAI> | null = null;
  return {
    info: route.info,
    stream(request, signal) {
      const attempt = (): AsyncIterable<ModelEvent> =>
        streamOnce(request, signal, { route, help, sdk: (sdk ??= openOpenAiSdk(route, help)) });
      return withRetries(attempt, { clock: help.clock, random: help.random, signal });
    },
  };
}

/** The body of a streamed request. Compatible servers know only the older name of the answer's limit. */
function toBody(request: ModelRequest, route: Route): Body {
  const isOpenAi = route.provider === 'openai';
  const messages = toMessages(request, route.cache);
  return {
    model: route.model,
    stream: true,
    stream_options: { include_usage: true },
    ...(isOpenAi ? { max_completion_tokens: request.maxTokens } : { max_tokens: request.maxTokens }),
    // Requests of one session go to the machine that holds its prefix; summaries have no prefix in common.
    ...(isOpenAi && request.purpose === 'turn' ? { prompt_cache_key: request.sessionId } : {}),
    messages: messages satisfies Body['messages'],
    ...(request.tools.length > 0 ? { tools: request.tools.map(toTool) } : {}),
  };
}

function toTool(tool: ModelRequest['tools'][number]): OpenAI.Chat.ChatCompletionFunctionTool {
  return {
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: { ...tool.parameters } },
  };
}

async function* streamOnce(
  request: ModelRequest,
  signal: AbortSignal,
  context: { route: Route; help: ClientHelp; sdk: Promise<OpenAI> },
): AsyncGenerator<ModelEvent> {
  const { route, help } = context;
  const provider = route.providerLabel;
  const body = toBody(request, route);
  let opened = false;
  const open = async (connection: AbortSignal): Promise<AsyncIterable<Chunk>> =>
    (await context.sdk).chat.completions.create(body, { signal: connection });
  const onOpen = (): void => void (opened = true);
  let isEmpty = true;
  try {
    const chunks = guardStream(open, { signal, idleMs: help.idleMs, clock: help.clock, onOpen });
    for await (const event of readChunks(chunks, () => newCallId(help.random))) {
      if (event.type === 'done') return yield finish(request, route, { done: event, isEmpty });
      isEmpty = false;
      yield event;
    }
    yield { type: 'failed', failure: failure('stream_cut', provider) };
  } catch (thrown) {
    yield { type: 'failed', failure: toFailure(thrown, { provider, opened, now: help.clock.now() }) };
  }
}

/** OpenAI refuses what does not fit; other servers, and those that OpenRouter sends it to, may cut it. */
function finish(
  request: ModelRequest,
  route: Route,
  answer: { done: Extract<ModelEvent, { type: 'done' }>; isEmpty: boolean },
): ModelEvent {
  const { done, isEmpty } = answer;
  if (route.provider === 'openai') return done;
  const overflow = findSilentOverflow(request, {
    provider: route.providerLabel,
    usage: done.usage,
    stop: done.stop,
    isEmpty,
  });
  return overflow ? { type: 'failed', failure: overflow } : done;
}

function newCallId(random: () => number): string {
  return `call_${Math.floor(random() * 36 ** 10)
    .toString(36)
    .padStart(10, '0')}`;
}

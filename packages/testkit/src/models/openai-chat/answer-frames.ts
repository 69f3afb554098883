import type { Answer, Finish, Frame } from '../dialect.ts';
import { cutInChunks, serverSentEvent } from '../frames.ts';
import { isJson } from '../json.ts';
import type { Json } from '../json.ts';

const FINISH: Record<Finish, string> = {
  end: 'stop',
  tool_calls: 'tool_calls',
  max_tokens: 'length',
  window: 'length',
  refusal: 'content_filter',
};
// A fixed second keeps bodies the same from run to run; no client of ours reads it.
const CREATED_SECONDS = 1_790_000_000;

/** The answer as one JSON body. */
export function answerBody(answer: Answer): Json {
  const text = answer.texts.join('');
  const message = {
    role: 'assistant',
    content: text === '' && answer.toolCalls.length > 0 ? null : text,
    refusal: null,
    ...(answer.toolCalls.length > 0 ? { tool_calls: answer.toolCalls.map(wholeCall) } : {}),
  };
  return {
    ...envelope(answer, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[answer.finish] }],
    usage: usageBody(answer),
  };
}

/** The answer as a stream; the usage chunk (empty choices, last) only with `stream_options.include_usage`. */
export function answerFrames(answer: Answer, body: Json): readonly Frame[] {
  const options = body['stream_options'];
  const withUsage = isJson(options) && options['include_usage'] === true;
  const shared = { ...envelope(answer, 'chat.completion.chunk'), ...(withUsage ? { usage: null } : {}) };
  const chunk = (delta: Json, finish: string | null = null): Frame => ({
    text: serverSentEvent({
      ...shared,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    }),
    closing: finish !== null,
  });
  const usage = serverSentEvent({ ...shared, choices: [], usage: usageBody(answer) });
  return [
    chunk({
      role: 'assistant',
      content: answer.toolCalls.length > 0 && answer.texts.length === 0 ? null : '',
    }),
    ...cutInChunks(answer.texts.join(''), answer.chunkSize).map((content) => chunk({ content })),
    ...answer.toolCalls.flatMap((call, index) =>
      callDeltas(call, index, answer.chunkSize).map((delta) => chunk(delta)),
    ),
    chunk({}, FINISH[answer.finish]),
    ...(withUsage ? [{ text: usage, closing: true }] : []),
    { text: 'data: [DONE]\n\n', closing: true },
  ];
}

function callDeltas(call: Answer['toolCalls'][number], index: number, chunkSize: number): readonly Json[] {
  const opening = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
  return [
    { tool_calls: [opening] },
    ...cutInChunks(call.json, chunkSize).map((part) => ({
      tool_calls: [{ index, function: { arguments: part } }],
    })),
  ];
}

function wholeCall({ id, name, json }: Answer['toolCalls'][number]): Json {
  return { id, type: 'function', function: { name, arguments: json } };
}

function envelope(answer: Answer, object: string): Json {
  return {
    id: `chatcmpl-${answer.serial}`,
    object,
    created: CREATED_SECONDS,
    model: answer.model,
    service_tier: 'default',
    system_fingerprint: 'fp_fake',
  };
}

function usageBody({ figures, promptTokens, outputTokens }: Answer): Json {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: figures.cacheReadTokens,
      cache_write_tokens: figures.cacheWrite5mTokens + figures.cacheWrite1hTokens,
      audio_tokens: 0,
    },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}

import { cutInChunks, serverSentEvent } from '../frames.ts';
import type { Answer, Finish, Frame } from '../dialect.ts';
import type { Json } from '../json.ts';
import { parseJson } from '../json.ts';
import type { ThinkingSeal } from './thinking-seal.ts';

const STOP: Record<Finish, string> = {
  end: 'end_turn',
  tool_calls: 'tool_use',
  max_tokens: 'max_tokens',
  window: 'model_context_window_exceeded',
  refusal: 'refusal',
};

/** The answer as one JSON body. */
export function answerBody(answer: Answer, seal: ThinkingSeal): Json {
  return {
    ...opening(answer, answer.outputTokens),
    content: contentBlocks(answer, seal).map(({ whole }) => whole),
    stop_reason: STOP[answer.finish],
    stop_details: stopDetails(answer),
  };
}

/** The answer as a stream: message_start, ping, blocks, message_delta, message_stop. */
export function answerFrames(answer: Answer, seal: ThinkingSeal): readonly Frame[] {
  const event = (type: string, data: Json, closing = false): Frame => ({
    text: serverSentEvent({ type, ...data }, type),
    closing,
  });
  const blocks = contentBlocks(answer, seal);
  const body = blocks.flatMap(({ start, deltas }, index) => [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }, index === blocks.length - 1),
  ]);
  return [
    event('message_start', { message: opening(answer, 1) }),
    event('ping', {}),
    ...body,
    event('message_delta', closingDelta(answer), true),
    event('message_stop', {}, true),
  ];
}

function closingDelta(answer: Answer): Json {
  const { cache_creation: _creation, service_tier: _tier, ...usage } = usageBody(answer, answer.outputTokens);
  return {
    delta: { stop_reason: STOP[answer.finish], stop_sequence: null, stop_details: stopDetails(answer) },
    usage,
  };
}

function opening(answer: Answer, outputTokens: number): Json {
  return {
    id: `msg_${answer.serial}`,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: usageBody(answer, outputTokens),
  };
}

function usageBody({ figures }: Answer, outputTokens: number): Json {
  return {
    input_tokens: figures.inputTokens,
    cache_creation_input_tokens: figures.cacheWrite5mTokens + figures.cacheWrite1hTokens,
    cache_read_input_tokens: figures.cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: figures.cacheWrite5mTokens,
      ephemeral_1h_input_tokens: figures.cacheWrite1hTokens,
    },
    output_tokens: outputTokens,
    service_tier: 'standard',
  };
}

function stopDetails(answer: Answer): Json | null {
  return answer.finish === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null;
}

/** Each block three ways: whole, as it starts in a stream, and its deltas. */
function contentBlocks(answer: Answer, seal: ThinkingSeal): { whole: Json; start: Json; deltas: Json[] }[] {
  const thinking = answer.thinking === '' ? [] : [thinkingBlock(answer, seal)];
  const texts = answer.texts.map((text) => ({
    whole: { type: 'text', text },
    start: { type: 'text', text: '' },
    deltas: cutInChunks(text, answer.chunkSize).map((part): Json => ({ type: 'text_delta', text: part })),
  }));
  const calls = answer.toolCalls.map(({ id, name, json }) => ({
    whole: { type: 'tool_use', id, name, input: parseJson(json) ?? {} },
    start: { type: 'tool_use', id, name, input: {} },
    deltas: ['', ...cutInChunks(json, answer.chunkSize)].map((part): Json => ({
      type: 'input_json_delta',
      partial_json: part,
    })),
  }));
  return [...thinking, ...texts, ...calls];
}

function thinkingBlock(answer: Answer, seal: ThinkingSeal): { whole: Json; start: Json; deltas: Json[] } {
  const signature = seal.sign(answer.thinking);
  return {
    whole: { type: 'thinking', thinking: answer.thinking, signature },
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...cutInChunks(answer.thinking, answer.chunkSize).map((part): Json => ({
        type: 'thinking_delta',
        thinking: part,
      })),
      { type: 'signature_delta', signature },
    ],
  };
}

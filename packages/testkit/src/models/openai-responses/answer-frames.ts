import type { Answer, Frame } from '../dialect.ts';
import { cutInChunks, serverSentEvent } from '../frames.ts';
import type { Json } from '../json.ts';
import { outputItems } from './answer-items.ts';
import type { OutputItem } from './answer-items.ts';
import type { Seal } from './seal.ts';

// A fixed second keeps bodies the same from run to run; no client of ours reads it.
const CREATED_SECONDS = 1_790_000_000;

/** The answer as one JSON body. */
export function answerBody(answer: Answer, body: Json, seal: Seal): Json {
  return response(answer, body, { output: outputItems(answer, body, seal).map(({ whole }) => whole) });
}

/** The answer as a stream: created, in_progress, items with their deltas, completed or incomplete. */
export function answerFrames(answer: Answer, body: Json, seal: Seal): readonly Frame[] {
  let sequence = 0;
  const event = (type: string, data: Json, closing = false): Frame => ({
    text: serverSentEvent({ type, sequence_number: sequence++, ...data }, type),
    closing,
  });
  const items = outputItems(answer, body, seal);
  const opening = { response: response(answer, body, { output: [], status: 'in_progress' }) };
  const whole = response(answer, body, { output: items.map((item) => item.whole) });
  return [
    event('response.created', opening),
    event('response.in_progress', opening),
    ...items.flatMap((item, index) =>
      itemEvents(item, index, answer.chunkSize).map(({ type, data }) =>
        event(type, data, type === 'response.output_item.done' && index === items.length - 1),
      ),
    ),
    event(
      whole['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed',
      { response: whole },
      true,
    ),
  ];
}

interface ItemEvent {
  readonly type: string;
  readonly data: Json;
}

function itemEvents(item: OutputItem, index: number, chunkSize: number): readonly ItemEvent[] {
  const of = { output_index: index, item_id: item.whole['id'] };
  const chunks = cutInChunks(item.streamed, chunkSize);
  const added = { type: 'response.output_item.added', data: { output_index: index, item: opened(item) } };
  const done = { type: 'response.output_item.done', data: { output_index: index, item: item.whole } };
  switch (item.kind) {
    case 'message': {
      const isRefusal = JSON.stringify(item.whole['content']).includes('"refusal"');
      const name = isRefusal ? 'response.refusal.delta' : 'response.output_text.delta';
      const deltas = chunks.map((delta) => ({ type: name, data: { ...of, content_index: 0, delta } }));
      return [added, ...deltas, done];
    }
    case 'function_call': {
      const name = 'response.function_call_arguments';
      const deltas = chunks.map((delta) => ({ type: `${name}.delta`, data: { ...of, delta } }));
      return [added, ...deltas, { type: `${name}.done`, data: { ...of, arguments: item.streamed } }, done];
    }
    case 'compaction':
      return [added, { type: 'response.compaction.compacting', data: of }, done];
    case 'reasoning':
      return [added, done];
  }
}

/** As an item stands before its first delta; what is sealed may not be complete yet. */
function opened({ kind, whole }: OutputItem): Json {
  switch (kind) {
    case 'message':
      return { ...whole, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...whole, status: 'in_progress', arguments: '' };
    default:
      return { ...whole, encrypted_content: '' };
  }
}

function response(
  answer: Answer,
  body: Json,
  more: { readonly output: readonly Json[]; readonly status?: string },
): Json {
  const cut = answer.finish === 'max_tokens' || answer.finish === 'window';
  return {
    id: `resp_${answer.serial}`,
    object: 'response',
    created_at: CREATED_SECONDS,
    status: more.status ?? (cut ? 'incomplete' : 'completed'),
    error: null,
    incomplete_details: cut && !more.status ? { reason: 'max_output_tokens' } : null,
    model: answer.model,
    output: more.output,
    store: body['store'] ?? true,
    truncation: 'disabled',
    usage: more.status ? null : usageBody(answer),
  };
}

function usageBody({ figures, promptTokens, outputTokens, thinking }: Answer): Json {
  return {
    input_tokens: promptTokens,
    input_tokens_details: {
      cached_tokens: figures.cacheReadTokens,
      cache_write_tokens: figures.cacheWrite5mTokens + figures.cacheWrite1hTokens,
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: thinking === '' ? 0 : 1 },
    total_tokens: promptTokens + outputTokens,
  };
}

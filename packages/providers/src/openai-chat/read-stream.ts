import type { ModelEvent, StopReason, Usage } from '@palimpsest/core';

/** Chunks as compatible servers send them: anything may be missing. */
export interface Chunk {
  choices?: readonly ChunkChoice[] | null;
  usage?: object | null;
}

interface ChunkChoice {
  delta?: ChunkDelta | null;
  finish_reason?: string | null;
}

interface ChunkDelta {
  content?: string | null;
  refusal?: string | null;
  tool_calls?: readonly CallDelta[] | null;
}

interface CallDelta {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | null } | null;
}

interface OpenCall {
  index: number | null;
  id: string;
  name: string;
  json: string;
}

/**
 * Turn chunks into our events. Text goes on at once; calls come whole, in the model's order, before `done`.
 * Reasoning fields are ignored. Ends without `done` when no finish reason came: the caller calls that a cut stream.
 *
 * newId   id of a call whose server gave none
 */
export async function* readChunks(
  chunks: AsyncIterable<Chunk>,
  newId: () => string,
): AsyncGenerator<ModelEvent> {
  const calls: OpenCall[] = [];
  let usage: Usage | null = null;
  let finish: string | null = null;
  let refused = false;
  for await (const chunk of chunks) {
    if (chunk.usage) usage = toUsage({ ...chunk.usage });
    const choice = chunk.choices?.[0];
    const text = choice?.delta?.content || choice?.delta?.refusal || '';
    refused ||= Boolean(choice?.delta?.refusal);
    if (text !== '') yield { type: 'text', text, block: 0 };
    for (const delta of choice?.delta?.tool_calls ?? []) addDelta(calls, delta);
    finish = choice?.finish_reason ?? finish;
  }
  if (finish === null) return;
  for (const { id, name, json } of calls)
    yield { type: 'tool_call', id: id || newId(), name, arguments: json === '' ? '{}' : json };
  yield { type: 'done', stop: refused ? 'refusal' : stopReason(finish, calls.length > 0), usage };
}

/** Deltas belong together by index; a server without indexes begins a call by naming an id. */
function addDelta(calls: OpenCall[], delta: CallDelta): void {
  let call =
    delta.index === null || delta.index === undefined
      ? undefined
      : calls.find(({ index }) => index === delta.index);
  if (!call && (delta.index === null || delta.index === undefined) && !delta.id) call = calls.at(-1);
  if (!call) {
    call = { index: delta.index ?? null, id: '', name: '', json: '' };
    calls.push(call);
  }
  call.id ||= delta.id ?? '';
  call.name ||= delta.function?.name ?? '';
  call.json += delta.function?.arguments ?? '';
}

/** Unlike Anthropic's, `prompt_tokens` holds the cached part already. */
function toUsage(raw: Record<string, unknown>): Usage | null {
  if (typeof raw['prompt_tokens'] !== 'number') return null;
  const prompt = recordOf(raw['prompt_tokens_details']);
  const completion = recordOf(raw['completion_tokens_details']);
  return {
    promptTokens: raw['prompt_tokens'],
    outputTokens: numberOf(raw['completion_tokens']),
    cacheReadTokens: numberOf(prompt['cached_tokens']),
    cacheWriteTokens: numberOf(prompt['cache_write_tokens']),
    reasoningTokens: numberOf(completion['reasoning_tokens']),
    raw,
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' ? { ...value } : {};
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** Some servers say `stop` with calls in hand. */
function stopReason(wire: string, hasCalls: boolean): StopReason {
  switch (wire) {
    case 'length':
      return 'max_tokens';
    case 'content_filter':
      return 'refusal';
    default:
      return hasCalls ? 'tool_calls' : 'end';
  }
}

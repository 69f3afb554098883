import type { ModelEvent, StopReason, Usage } from '@palimpsest/core';

import type { ProviderError } from '../errors/provider-error.ts';
import { isRecord, readKeptItem } from './response-item.ts';
import type { KeptItem } from './response-item.ts';

/** Events as the service and others like it send them: anything may be missing, unknown ones are left out. */
export interface WireEvent {
  type: string;
  output_index?: number;
  delta?: unknown;
  item?: unknown;
  response?: unknown;
}

/** The service said inside its stream that the answer failed. */
export class AnswerFailed extends Error {
  readonly said: ProviderError;
  constructor(said: ProviderError) {
    super('the answer failed');
    this.said = said;
  }
}

/** An answer as far as it has come. */
class Progress {
  readonly issuer: string;
  /** Block of each message item that has words. */
  readonly blocks = new Map<number, number>();
  calls = 0;
  checkpoints = 0;
  refused = false;

  constructor(issuer: string) {
    this.issuer = issuer;
  }

  /** Texts and calls so far: the place of what comes next. */
  get place(): number {
    return this.blocks.size + this.calls;
  }

  text(index: number, text: string): ModelEvent {
    const block = this.blocks.get(index) ?? this.blocks.size;
    this.blocks.set(index, block);
    return { type: 'text', text, block };
  }

  keep(kept: KeptItem): ModelEvent {
    return { type: 'sidecar', issuer: this.issuer, item: kept };
  }
}

/**
 * Turn a response stream into our events. Text goes on at once; calls, reasoning and checkpoints come whole when their
 * item is done. Ends without `done` when the stream ends before its last event: the caller calls that a cut stream.
 * throws AnswerFailed when the service ends the answer as failed
 */
export async function* readEvents(
  events: AsyncIterable<WireEvent>,
  about: { issuer: string; provider: string },
): AsyncGenerator<ModelEvent> {
  const progress = new Progress(about.issuer);
  for await (const event of events) {
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        progress.refused ||= event.type === 'response.refusal.delta';
        if (typeof event.delta === 'string' && event.delta !== '')
          yield progress.text(event.output_index ?? 0, event.delta);
        break;
      case 'response.output_item.done':
        if (isRecord(event.item)) yield* endItem(event.item, event.output_index ?? 0, progress);
        break;
      case 'response.completed':
      case 'response.incomplete':
        return yield* endAnswer(isRecord(event.response) ? event.response : {}, progress);
      case 'response.failed':
        throw new AnswerFailed(readFailure(event.response, about.provider));
      default:
        break;
    }
  }
}

function* endItem(item: Record<string, unknown>, index: number, progress: Progress): Generator<ModelEvent> {
  switch (item['type']) {
    case 'message':
      return yield* endMessage(item, index, progress);
    case 'function_call':
      progress.calls++;
      return yield {
        type: 'tool_call',
        id: stringOf(item['call_id']),
        name: stringOf(item['name']),
        arguments: stringOf(item['arguments']) || '{}',
      };
    case 'compaction':
    case 'reasoning': {
      const kept = readKeptItem({ after: progress.place, item });
      if (!kept) return;
      if (kept.item.type === 'compaction') progress.checkpoints++;
      return yield progress.keep(kept);
    }
    default:
      return;
  }
}

/** Some servers send no deltas; the label of a message goes to its place. */
function* endMessage(
  item: Record<string, unknown>,
  index: number,
  progress: Progress,
): Generator<ModelEvent> {
  const text = listOf(item['content'])
    .map((part) => stringOf(part['text']) || stringOf(part['refusal']))
    .join('');
  if (!progress.blocks.has(index) && text !== '') yield progress.text(index, text);
  const block = progress.blocks.get(index);
  const { phase } = item;
  if (block === undefined || (phase !== 'commentary' && phase !== 'final_answer')) return;
  yield progress.keep({ after: block, item: { type: 'phase', phase } });
}

function* endAnswer(response: Record<string, unknown>, progress: Progress): Generator<ModelEvent> {
  if (progress.checkpoints > 0)
    yield { type: 'compaction', runtime: 'responses', items: progress.checkpoints, tokensAfter: null };
  const details = isRecord(response['incomplete_details']) ? response['incomplete_details'] : {};
  const usage = isRecord(response['usage']) ? toUsage(response['usage']) : null;
  yield { type: 'done', stop: stopReason(details['reason'], progress), usage };
}

function stopReason(incomplete: unknown, progress: Progress): StopReason {
  if (incomplete === 'max_output_tokens') return 'max_tokens';
  if (incomplete === 'content_filter' || progress.refused) return 'refusal';
  return progress.calls > 0 ? 'tool_calls' : 'end';
}

/** `input_tokens` holds the cached part already. */
function toUsage(raw: Record<string, unknown>): Usage | null {
  if (typeof raw['input_tokens'] !== 'number') return null;
  const input = isRecord(raw['input_tokens_details']) ? raw['input_tokens_details'] : {};
  const output = isRecord(raw['output_tokens_details']) ? raw['output_tokens_details'] : {};
  return {
    promptTokens: raw['input_tokens'],
    outputTokens: numberOf(raw['output_tokens']),
    cacheReadTokens: numberOf(input['cached_tokens']),
    cacheWriteTokens: numberOf(input['cache_write_tokens']),
    reasoningTokens: numberOf(output['reasoning_tokens']),
    raw,
  };
}

/** Codes that say that the service, not the request, is at fault. */
const serverCodes = new Set(['server_error', 'vector_store_timeout', '']);

function readFailure(response: unknown, provider: string): ProviderError {
  const error = isRecord(response) && isRecord(response['error']) ? response['error'] : {};
  const code = stringOf(error['code']).toLowerCase();
  return {
    provider,
    status: null,
    code,
    type: serverCodes.has(code) ? 'server_error' : 'invalid_request_error',
    text: stringOf(error['message']).slice(0, 4_000),
    hasBody: true,
    header: () => null,
  };
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

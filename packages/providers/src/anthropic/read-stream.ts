import type Anthropic from '@anthropic-ai/sdk';
import type { ModelEvent, StopReason, Usage } from '@palimpsest/core';

type WireEvent = Anthropic.RawMessageStreamEvent;
type WireUsage = Record<string, unknown>;

interface OpenBlock {
  type: string;
  id: string;
  name: string;
  json: string;
  thinking: string;
  signature: string;
  data: string;
}

/**
 * Turn a message stream into our events. Text goes on at once; calls and thinking come whole when their block stops.
 * Ends without `done` when the stream ends before its stop reason: the caller calls that a cut stream.
 */
export async function* readStream(
  events: AsyncIterable<WireEvent>,
  issuer: string,
): AsyncGenerator<ModelEvent> {
  const open = new Map<number, OpenBlock>();
  let usage: WireUsage = {};
  let stop: string | null = null;
  for await (const event of events) {
    switch (event.type) {
      case 'message_start':
        usage = mergeUsage(usage, event.message.usage);
        break;
      case 'content_block_start':
        open.set(event.index, openBlock(event.content_block));
        if (event.content_block.type === 'text' && event.content_block.text !== '') {
          yield { type: 'text', text: event.content_block.text, block: event.index };
        }
        break;
      case 'content_block_delta': {
        const text = applyDelta(open.get(event.index), event.delta);
        if (text !== '') yield { type: 'text', text, block: event.index };
        break;
      }
      case 'content_block_stop': {
        const whole = closeBlock(open.get(event.index), issuer);
        open.delete(event.index);
        if (whole) yield whole;
        break;
      }
      case 'message_delta':
        usage = mergeUsage(usage, event.usage);
        stop = event.delta.stop_reason ?? stop;
        break;
      case 'message_stop':
        break;
    }
  }
  if (stop !== null) yield { type: 'done', stop: stopReason(stop), usage: toUsage(usage) };
}

function openBlock(block: Anthropic.ContentBlock): OpenBlock {
  return {
    type: block.type,
    id: block.type === 'tool_use' ? block.id : '',
    name: block.type === 'tool_use' ? block.name : '',
    json: '',
    thinking: block.type === 'thinking' ? block.thinking : '',
    signature: block.type === 'thinking' ? block.signature : '',
    data: block.type === 'redacted_thinking' ? block.data : '',
  };
}

/** Takes a delta in; returns text that goes on at once. */
function applyDelta(block: OpenBlock | undefined, delta: Anthropic.RawContentBlockDelta): string {
  switch (delta.type) {
    case 'text_delta':
      return delta.text;
    case 'input_json_delta':
      if (block) block.json += delta.partial_json;
      return '';
    case 'thinking_delta':
      if (block) block.thinking += delta.thinking;
      return '';
    case 'signature_delta':
      if (block) block.signature += delta.signature;
      return '';
    default:
      return '';
  }
}

function closeBlock(block: OpenBlock | undefined, issuer: string): ModelEvent | null {
  switch (block?.type) {
    case 'tool_use':
      return {
        type: 'tool_call',
        id: block.id,
        name: block.name,
        arguments: block.json === '' ? '{}' : block.json,
      };
    case 'thinking':
      return {
        type: 'sidecar',
        issuer,
        item: { type: 'thinking', thinking: block.thinking, signature: block.signature },
      };
    case 'redacted_thinking':
      return { type: 'sidecar', issuer, item: { type: 'redacted_thinking', data: block.data } };
    default:
      return null;
  }
}

/** `message_delta` repeats cumulative figures and leaves some null: the later figure wins, null never does. */
function mergeUsage(before: WireUsage, later: object): WireUsage {
  return {
    ...before,
    ...Object.fromEntries(Object.entries(later).filter(([, value]) => value !== null && value !== undefined)),
  };
}

/** The prompt is the uncached tail and both cached parts together; `input_tokens` alone is only the tail. */
function toUsage(raw: WireUsage): Usage | null {
  if (typeof raw['input_tokens'] !== 'number') return null;
  const cacheReadTokens = numberOf(raw['cache_read_input_tokens']);
  const cacheWriteTokens = numberOf(raw['cache_creation_input_tokens']);
  const details = raw['output_tokens_details'];
  return {
    promptTokens: raw['input_tokens'] + cacheReadTokens + cacheWriteTokens,
    outputTokens: numberOf(raw['output_tokens']),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens:
      details !== null && typeof details === 'object' && 'thinking_tokens' in details
        ? numberOf(details.thinking_tokens)
        : 0,
    raw,
  };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function stopReason(wire: string): StopReason {
  switch (wire) {
    case 'tool_use':
      return 'tool_calls';
    case 'max_tokens':
      return 'max_tokens';
    case 'refusal':
      return 'refusal';
    case 'model_context_window_exceeded':
      return 'window_exceeded';
    default:
      return 'end';
  }
}

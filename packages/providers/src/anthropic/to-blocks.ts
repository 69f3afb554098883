import type { ModelRequest, Part, PromptMessage } from '@palimpsest/core';

import { imageOf, wordsOfPayload } from '../prompt-images.ts';
import { ToolIds } from '../tool-ids.ts';

/** The blocks we send; marks are added later. */
export type WireBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: ImageType; data: string } }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }
  | { type: 'tool_result'; tool_use_id: string; content: string; is_error?: true }
  /** Thinking, byte for byte as its issuer sent it. */
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string };

/** Kinds of pictures that the wire knows. */
type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

export interface WireMessage {
  role: 'user' | 'assistant';
  blocks: WireBlock[];
}

/** Some dialects let a conversation begin with the assistant, this one does not. */
const openingText = '(The conversation goes on.)';
/** The wire refuses an empty result text in places, and models read it as a fault. */
const emptyResult = '(no output)';

/**
 * Provider-neutral messages as alternating user and assistant messages: tool results become the first blocks of a user
 * message, consecutive messages of a role are one, empty texts and foreign sidecars are left out. Orphaned calls are the
 * caller's business.
 */
export function toWireMessages(
  messages: readonly PromptMessage[],
  issuer: string,
  images?: ModelRequest['images'],
): WireMessage[] {
  const ids = new ToolIds();
  const wire: WireMessage[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = message.parts.flatMap((part) => toBlock(part, { role, issuer, ids, images }));
    const last = wire.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else if (blocks.length > 0) wire.push({ role, blocks });
  }
  if (wire[0]?.role === 'assistant')
    wire.unshift({ role: 'user', blocks: [{ type: 'text', text: openingText }] });
  return mergeAgain(wire.map(inWireOrder).filter(({ blocks }) => blocks.length > 0));
}

function toBlock(
  part: Part,
  context: { role: 'user' | 'assistant'; issuer: string; ids: ToolIds; images: ModelRequest['images'] },
): WireBlock[] {
  const { role, issuer, ids, images } = context;
  switch (part.type) {
    case 'text':
    case 'header':
      return textBlock(part.text);
    case 'payload':
      return [
        ...textBlock(wordsOfPayload(part, images)),
        ...(role === 'user' ? imageBlock(part, images) : []),
      ];
    case 'tool_call':
      return role === 'assistant'
        ? [{ type: 'tool_use', id: ids.call(part.id), name: part.name, input: inputOf(part.arguments) }]
        : [];
    case 'tool_result': {
      if (role !== 'user') return [];
      const content = part.text.trim() === '' ? emptyResult : part.text;
      const result = { type: 'tool_result' as const, tool_use_id: ids.result(part.callId), content };
      return [part.isError ? { ...result, is_error: true } : result];
    }
    case 'sidecar':
      return role === 'assistant' && part.issuer === issuer ? thinkingBlock(part.item) : [];
  }
}

/** Behind its name. */
function imageBlock(part: Extract<Part, { type: 'payload' }>, images: ModelRequest['images']): WireBlock[] {
  const image = imageOf(part, images);
  if (image === null || !isImageType(image.mime)) return [];
  return [{ type: 'image', source: { type: 'base64', media_type: image.mime, data: image.base64 } }];
}

function isImageType(mime: string): mime is ImageType {
  return ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].includes(mime);
}

function textBlock(text: string): WireBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** No tool asks for more; thousands of levels are more than the stack takes when the body is written. */
const deepestInput = 100;

/** The wire takes objects only; what is none, or cannot be written, is passed on under a name that says so. */
function inputOf(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const input: unknown = JSON.parse(text);
    const isObject = input !== null && typeof input === 'object' && !Array.isArray(input);
    if (isObject && !isDeeper(input, deepestInput)) return { ...input };
  } catch {
    // the model wrote broken JSON; it sees it again below
  }
  return { invalid_arguments: text };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function thinkingBlock(item: unknown): WireBlock[] {
  if (item === null || typeof item !== 'object' || !('type' in item)) return [];
  if (item.type === 'thinking' && 'thinking' in item && 'signature' in item) {
    const { thinking, signature } = item;
    return typeof thinking === 'string' && typeof signature === 'string'
      ? [{ type: 'thinking', thinking, signature }]
      : [];
  }
  if (item.type === 'redacted_thinking' && 'data' in item && typeof item.data === 'string') {
    return [{ type: 'redacted_thinking', data: item.data }];
  }
  return [];
}

/** Results before other blocks of a user message; an assistant message never ends in thinking. */
function inWireOrder(message: WireMessage): WireMessage {
  if (message.role === 'user') {
    const isResult = (block: WireBlock): boolean => block.type === 'tool_result';
    return {
      role: 'user',
      blocks: [...message.blocks.filter(isResult), ...message.blocks.filter((block) => !isResult(block))],
    };
  }
  const isThought = (block: WireBlock): boolean =>
    block.type === 'thinking' || block.type === 'redacted_thinking';
  const end = message.blocks.findLastIndex((block) => !isThought(block));
  return { role: 'assistant', blocks: message.blocks.slice(0, end + 1) };
}

/** A message that lost all its blocks leaves two of one role side by side. */
function mergeAgain(messages: readonly WireMessage[]): WireMessage[] {
  const merged: WireMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === message.role) last.blocks.push(...message.blocks);
    else merged.push({ role: message.role, blocks: [...message.blocks] });
  }
  return merged;
}

import type { ModelRequest, Part, PromptMessage } from '@palimpsest/core';

import { cacheControl } from '../prompt-cache/cache-control.ts';
import type { CacheControl, CacheTtl } from '../prompt-cache/cache-control.ts';
import { chooseMarks } from '../prompt-cache/choose-marks.ts';

/** A text part; the mark is OpenRouter's, the official service refuses it. */
export interface TextPart {
  type: 'text';
  text: string;
  cache_control?: CacheControl;
}

type Content = string | TextPart[];

export type ChatMessage =
  | { role: 'system' | 'user'; content: Content }
  | {
      role: 'assistant';
      content: Content | null;
      tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
    }
  | { role: 'tool'; tool_call_id: string; content: Content };

/** Models read an empty result as a fault. */
const emptyResult = '(no output)';

/**
 * System prompt and messages in the chat format. One tool message a result; the parts of other messages are joined by
 * new lines; sidecars stay at home. Messages without content are left out. Marks, where asked for, sit on text parts.
 * Pure: the same request gives the same bytes.
 */
export function toMessages(request: ModelRequest, ttl: CacheTtl | null): ChatMessage[] {
  const system = request.system.filter((text) => text.trim() !== '');
  const messages = request.messages.flatMap(toChatMessages);
  if (!ttl)
    return [
      ...(system.length > 0 ? [{ role: 'system' as const, content: system.join('\n\n') }] : []),
      ...messages,
    ];
  return marked(system, messages, ttl);
}

function toChatMessages(message: PromptMessage): ChatMessage[] {
  const text = joinTexts(message.parts);
  if (message.role === 'assistant') return assistantMessage(message.parts, text);
  const results = message.parts.filter((part) => part.type === 'tool_result');
  if (results.length === 0) return text.trim() === '' ? [] : [{ role: 'user', content: text }];
  // What lies beside a result, as a picture does, goes into it: no user message may stand between parallel results.
  return results.map((result, index) => {
    const beside = index === results.length - 1 ? text : '';
    const content = [result.text, beside].filter((part) => part.trim() !== '').join('\n');
    return { role: 'tool', tool_call_id: result.callId, content: content === '' ? emptyResult : content };
  });
}

function assistantMessage(parts: readonly Part[], text: string): ChatMessage[] {
  const calls = parts.flatMap((part) =>
    part.type === 'tool_call'
      ? [
          {
            id: part.id,
            type: 'function' as const,
            function: { name: part.name, arguments: part.arguments || '{}' },
          },
        ]
      : [],
  );
  if (calls.length > 0)
    return [{ role: 'assistant', content: text.trim() === '' ? null : text, tool_calls: calls }];
  return text.trim() === '' ? [] : [{ role: 'assistant', content: text }];
}

function joinTexts(parts: readonly Part[]): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'header') texts.push(part.text);
    else if (part.type === 'payload') texts.push(part.preview);
  }
  return texts.join('\n');
}

/**
 * The layout of the native wire on content parts. Results and user messages that follow one another count as one, as
 * the native wire merges them: else many parallel results would push the shared end point out of the last three.
 */
function marked(system: readonly string[], messages: readonly ChatMessage[], ttl: CacheTtl): ChatMessage[] {
  const groups = groupBySide(messages);
  const marks = chooseMarks(
    system.map(() => true),
    groups.map((group, index) => ({
      carriers: group.map(({ content }) => typeof content === 'string' && content.trim() !== ''),
      openCalls:
        index === groups.length - 1 &&
        group.some((message) => message.role === 'assistant' && message.tool_calls !== undefined),
    })),
  );
  const chosen = new Set(marks.messages.map(({ message, block }) => groups[message]?.[block]));
  const control = cacheControl(ttl);
  const head = system.map((text, index): TextPart => withMark(text, index === marks.system ? control : null));
  const rest = messages.map((message) =>
    chosen.has(message) && typeof message.content === 'string'
      ? { ...message, content: [withMark(message.content, control)] }
      : message,
  );
  return head.length > 0 ? [{ role: 'system', content: head }, ...rest] : rest;
}

function withMark(text: string, control: CacheControl | null): TextPart {
  return control ? { type: 'text', text, cache_control: control } : { type: 'text', text };
}

function groupBySide(messages: readonly ChatMessage[]): ChatMessage[][] {
  const groups: ChatMessage[][] = [];
  let side = '';
  for (const message of messages) {
    const own = message.role === 'assistant' ? 'assistant' : 'user';
    if (own === side) groups.at(-1)?.push(message);
    else groups.push([message]);
    side = own;
  }
  return groups;
}

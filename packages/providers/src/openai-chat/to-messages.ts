import type { ModelRequest, Part, PromptMessage } from '@palimpsest/core';

import { dataUrl, imageOf, wordsOfPayload } from '../prompt-images.ts';
import { cacheControl } from '../prompt-cache/cache-control.ts';
import type { CacheControl } from '../prompt-cache/cache-control.ts';
import type { CachePolicy } from '../prompt-cache/cache-policy.ts';
import { chooseMarks } from '../prompt-cache/choose-marks.ts';
import { isSmallPrefix } from '../prompt-cache/small-prefix.ts';

/** How a text part is marked: OpenRouter's way, which OpenAI refuses, and OpenAI's own. */
type Mark = { cache_control: CacheControl } | { prompt_cache_breakpoint: { mode: 'explicit' } };

export interface TextPart {
  type: 'text';
  text: string;
  cache_control?: CacheControl;
  prompt_cache_breakpoint?: { mode: 'explicit' };
}

/** A picture inside the request. */
export interface ImagePart {
  type: 'image_url';
  image_url: { url: string };
}

type Content = string | TextPart[];

export type ChatMessage =
  | { role: 'system'; content: Content }
  | { role: 'user'; content: Content | (TextPart | ImagePart)[] }
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
export function toMessages(request: ModelRequest, cache: CachePolicy | null): ChatMessage[] {
  const system = request.system.filter((text) => text.trim() !== '');
  const messages = request.messages.flatMap((message) => toChatMessages(message, request.images));
  if (!cache)
    return [
      ...(system.length > 0 ? [{ role: 'system' as const, content: system.join('\n\n') }] : []),
      ...messages,
    ];
  const prompt = { system, messages, small: isSmallPrefix(request, cache.minimumTokens) };
  return marked(prompt, cache);
}

function toChatMessages(message: PromptMessage, images: ModelRequest['images']): ChatMessage[] {
  const text = joinTexts(message.parts, images);
  if (message.role === 'assistant') return assistantMessage(message.parts, text);
  const results = message.parts.filter((part) => part.type === 'tool_result');
  if (results.length === 0) return personMessage(text, picturesOf(message.parts, images));
  // What lies beside a result, as a picture does, goes into it: no user message may stand between parallel results.
  return results.map((result, index) => {
    const beside = index === results.length - 1 ? text : '';
    const content = [result.text, beside].filter((part) => part.trim() !== '').join('\n');
    return { role: 'tool', tool_call_id: result.callId, content: content === '' ? emptyResult : content };
  });
}

/** The words, then the pictures that they name. */
function personMessage(text: string, pictures: readonly ImagePart[]): ChatMessage[] {
  if (pictures.length > 0) return [{ role: 'user', content: [{ type: 'text', text }, ...pictures] }];
  return text.trim() === '' ? [] : [{ role: 'user', content: text }];
}

function picturesOf(parts: readonly Part[], images: ModelRequest['images']): ImagePart[] {
  return parts.flatMap((part): ImagePart[] => {
    const image = part.type === 'payload' ? imageOf(part, images) : null;
    return image === null ? [] : [{ type: 'image_url', image_url: { url: dataUrl(image) } }];
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

function joinTexts(parts: readonly Part[], images: ModelRequest['images']): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'header') texts.push(part.text);
    else if (part.type === 'payload') texts.push(wordsOfPayload(part, images));
  }
  return texts.join('\n');
}

/** Beside an implicit one at the end OpenAI writes three. */
const mostBreakpoints = 3;

/**
 * The layout of the native wire on content parts. Results and user messages that follow one another count as one, as
 * the native wire merges them: else many parallel results would push the shared end point out of the last three.
 */
function marked(
  {
    system,
    messages,
    small,
  }: { system: readonly string[]; messages: readonly ChatMessage[]; small: boolean },
  policy: CachePolicy,
): ChatMessage[] {
  const groups = groupBySide(messages);
  const prompt = {
    tools: 0,
    system: system.map(() => true),
    messages: groups.map((group, index) => ({
      carriers: group.map((message) => mayCarry(message, policy)),
      openCalls:
        index === groups.length - 1 &&
        group.some((message) => message.role === 'assistant' && message.tool_calls !== undefined),
    })),
    smallPrefix: small,
  };
  const marks = chooseMarks(prompt, policy.layout);
  const isBreakpoints = policy.style === 'breakpoints';
  const ends = isBreakpoints ? marks.messages.slice(marks.system.length - mostBreakpoints) : marks.messages;
  const chosen = new Set(ends.map(({ message, block }) => groups[message]?.[block]));
  const ofPrefix = markOf(policy, policy.systemTtl);
  const ofMessages = markOf(policy, policy.messageTtl);
  const head = system.map((text, index) => withMark(text, marks.system.includes(index) ? ofPrefix : null));
  const rest = messages.map((message) =>
    chosen.has(message) ? withMarkedText(message, ofMessages) : message,
  );
  return head.length > 0 ? [{ role: 'system', content: head }, ...rest] : rest;
}

function mayCarry({ role, content }: ChatMessage, { markToolRows }: CachePolicy): boolean {
  // Words come before pictures, always.
  if (typeof content !== 'string') return content !== null;
  return content.trim() !== '' && (role !== 'tool' || markToolRows);
}

function withMarkedText(message: ChatMessage, mark: Mark): ChatMessage {
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: [withMark(content, mark)] };
  if (message.role !== 'user' || content === null) return message;
  const parts = message.content as (TextPart | ImagePart)[];
  return { role: 'user', content: parts.map((part) => (part.type === 'text' ? { ...part, ...mark } : part)) };
}

function markOf({ style }: CachePolicy, ttl: CachePolicy['messageTtl']): Mark {
  return style === 'breakpoints'
    ? { prompt_cache_breakpoint: { mode: 'explicit' } }
    : { cache_control: cacheControl(ttl) };
}

function withMark(text: string, mark: Mark | null): TextPart {
  return { type: 'text', text, ...mark };
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

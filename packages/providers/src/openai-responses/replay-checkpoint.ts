import { estimateTokens, imageTokens } from '@palimpsest/core';

import { personMessage } from './to-items.ts';
import type { InputItem, MessageItem } from './response-item.ts';

/** What is sent beside a checkpoint although it covers it: the words of people, newest first, and our summaries. */
export interface ReplayLimits {
  personTokens: number;
  summaryTokens: number;
}

const mostPersonTokens = 64_000;
const mostSummaryTokens = 32_000;
/** What a checkpoint of the service costs, roughly: it cannot be read, and its length says little. */
const checkpointTokens = 4_000;
/** How a summary of ours begins. */
const summaryStart = '[CONTEXT COMPACTION]';

/** The usual limits, made smaller for a small window. */
export function replayLimits(windowTokens: number): ReplayLimits {
  return {
    personTokens: Math.min(mostPersonTokens, Math.floor(windowTokens / 4)),
    summaryTokens: Math.min(mostSummaryTokens, Math.floor(windowTokens / 8)),
  };
}

/**
 * The items to send when the service has condensed what lies before its newest checkpoint:
 * newest run of checkpoints → messages of people → whole summaries → everything later.
 * Without a checkpoint the items as they are.
 */
export function replayCheckpoint(items: readonly InputItem[], limits: ReplayLimits): InputItem[] {
  const last = items.findLastIndex(({ type }) => type === 'compaction');
  if (last < 0) return [...items];
  let first = last;
  while (items[first - 1]?.type === 'compaction') first--;
  const covered = items.slice(0, first).filter((item): item is MessageItem => item.type === 'message');
  const summaries = covered.filter((item) => textOf(item).startsWith(summaryStart));
  const people = covered.filter((item) => item.role === 'user' && !summaries.includes(item));
  return [
    ...items.slice(first, last + 1),
    ...keepNewest(people, limits.personTokens),
    ...keepWhole(summaries, limits.summaryTokens),
    ...items.slice(last + 1),
  ];
}

/** Rough tokens of items as they are sent. */
export function estimateItems(items: readonly InputItem[]): number {
  return items.reduce((sum, item) => sum + estimateItem(item), 0);
}

function estimateItem(item: InputItem): number {
  const framing = 4;
  switch (item.type) {
    case 'message':
      return framing + estimateTokens(textOf(item)) + pictures(item) * imageTokens;
    case 'function_call':
      return framing + estimateTokens(item.name) + estimateTokens(item.arguments);
    case 'function_call_output':
      return framing + estimateTokens(item.output);
    case 'compaction':
      return checkpointTokens;
    case 'reasoning':
      return 0; // what it costs only the service knows; it drops most of it
  }
}

/** Newest first within the budget; the one at the border loses its beginning. */
function keepNewest(messages: readonly MessageItem[], budgetTokens: number): MessageItem[] {
  const kept: MessageItem[] = [];
  let left = budgetTokens;
  for (const message of messages.toReversed()) {
    if (left <= 0) break;
    const text = textOf(message);
    const tokens = estimateTokens(text);
    const end = tokens <= left ? text : endOf(text, left);
    if (end !== '') kept.unshift(end === text ? message : personMessage(end));
    left -= tokens;
  }
  return kept;
}

function keepWhole(messages: readonly MessageItem[], budgetTokens: number): MessageItem[] {
  const kept: MessageItem[] = [];
  let left = budgetTokens;
  for (const message of messages.toReversed()) {
    left -= estimateTokens(textOf(message));
    if (left < 0) break;
    kept.unshift(message);
  }
  return kept;
}

/** The longest end of a text within the budget, by halving; never half a surrogate pair. */
function endOf(text: string, budgetTokens: number): string {
  let low = 0;
  let high = text.length;
  while (low + 1 < high) {
    const length = (low + high) >> 1;
    if (estimateTokens(text.slice(-length)) <= budgetTokens) low = length;
    else high = length;
  }
  return low === 0 ? '' : text.slice(-low).replace(/^[\udc00-\udfff]/, '');
}

function pictures({ content }: MessageItem): number {
  return content.filter(({ type }) => type === 'input_image').length;
}

function textOf(message: MessageItem): string {
  return message.content.flatMap((one) => (one.type === 'input_image' ? [] : [one.text])).join('\n');
}

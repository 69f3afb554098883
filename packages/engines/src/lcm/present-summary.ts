import type { LcmSummary, LcmSummaryHead, PromptMessage } from '@palimpsest/core';
import type { TimeWords } from './time-words.ts';

export type PresentedSummary = Pick<
  LcmSummaryHead,
  'id' | 'kind' | 'depth' | 'descendantCount' | 'earliestAt' | 'latestAt'
> & { content: string; sourceIds: readonly string[] };

/**
 * A summary as the model reads it: a block of its own, marked as untrusted, with the ids that the tools take. The same
 * summary gives the same bytes for ever: attributes in a fixed order, absolute times.
 */
export function presentSummary(summary: PresentedSummary, time: TimeWords): PromptMessage {
  return { role: 'user', parts: [{ type: 'text', text: summaryText(summary, time) }] };
}

/** `presentSummary` for stored summaries, each written once as long as it is kept in memory. */
export function presentOnce(time: TimeWords): (summary: LcmSummary) => PromptMessage {
  const presented = new WeakMap<LcmSummary, PromptMessage>();
  return (summary) => {
    const message = presented.get(summary) ?? presentSummary(summary, time);
    presented.set(summary, message);
    return message;
  };
}

export function summaryText(summary: PresentedSummary, time: TimeWords): string {
  const attributes = [
    ['id', summary.id],
    ['kind', summary.kind],
    ['depth', String(summary.depth)],
    ['descendant_count', String(summary.descendantCount)],
    ['trust', 'untrusted'],
    ['earliest_at', time(summary.earliestAt)],
    ['latest_at', time(summary.latestAt)],
  ].map(([name, value]) => `${name}="${escapeXml(value!)}"`);
  const sources =
    summary.kind === 'condensed'
      ? [`<sources>${summary.sourceIds.map((id) => `<ref id="${escapeXml(id)}"/>`).join('')}</sources>`]
      : [];
  return [
    `<summary ${attributes.join(' ')}>`,
    ...sources,
    `<content>\n${escapeXml(summary.content)}\n</content>`,
    '</summary>',
  ].join('\n');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}

import type { LcmSummaryHead } from '@palimpsest/core';
import { footerStart } from './expand-footer.ts';
import { fallbackStart } from './fallback-text.ts';
import type { TimeWords } from './time-words.ts';

export type SourceNode = Pick<LcmSummaryHead, 'id' | 'earliestAt' | 'latestAt'> & { content: string };

/** What the summary model reads of summaries: each behind its time range, oldest first. */
export function condensedSource(nodes: readonly SourceNode[], time: TimeWords): string {
  return nodes
    .filter((node) => !saysNothing(node.content))
    .map((node) => `[${time(node.earliestAt)} – ${time(node.latestAt)}] ${node.id}\n${node.content.trim()}`)
    .join('\n\n');
}

/** Nothing is left of it without the lines of ours. */
export function saysNothing(content: string): boolean {
  const lines = content.split('\n').filter((line) => {
    const bare = line.trim();
    return bare !== '' && !bare.startsWith(footerStart) && !bare.startsWith(fallbackStart);
  });
  return lines.length === 0;
}

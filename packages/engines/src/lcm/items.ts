import type { LcmItem, LcmNewSummary, RowHeader } from '@palimpsest/core';

/** One thing a context holds: a message word for word, or a summary in the place of older ones. */
export type ContextItem =
  | { kind: 'row'; ordinal: number; tokens: number; row: RowHeader }
  | { kind: 'summary'; ordinal: number; tokens: number; node: LcmItem | SweptNode };

/** A summary that a running sweep has made and nobody has stored yet. */
export type SweptNode = LcmNewSummary & { ordinal: number };

export type SummaryItem = Extract<ContextItem, { kind: 'summary' }>;
export type RowItem = Extract<ContextItem, { kind: 'row' }>;

/** Live rows and live summaries in the order of the conversation. */
export function mergeItems(rows: readonly RowHeader[], nodes: readonly LcmItem[]): readonly ContextItem[] {
  const items: ContextItem[] = [];
  let next = 0;
  for (const row of rows) {
    for (; next < nodes.length && nodes[next]!.ordinal < row.seq; next++)
      items.push(summaryItem(nodes[next]!));
    items.push({ kind: 'row', ordinal: row.seq, tokens: row.tokens, row });
  }
  for (; next < nodes.length; next++) items.push(summaryItem(nodes[next]!));
  return items;
}

export function summaryItem(node: LcmItem | SweptNode): SummaryItem {
  return { kind: 'summary', ordinal: node.ordinal, tokens: node.tokens, node };
}

export function tokensOf(items: readonly { tokens: number }[]): number {
  return items.reduce((sum, item) => sum + item.tokens, 0);
}

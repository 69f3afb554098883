import {
  estimateParts,
  type CompactionPlan,
  type LcmExport,
  type LcmStore,
  type Part,
  type PlannedRow,
  type TranscriptView,
} from '@palimpsest/core';
import { wrapSummary } from '../compressor/summary-text.ts';
import { stateChange } from './build-plan.ts';
import { tokensOf, type ContextItem, type SummaryItem } from './items.ts';
import { plainFigures } from './plan-figures.ts';
import type { TimeWords } from './time-words.ts';

/**
 * Hand a running session over: each run of summaries becomes one summary row at its place, which any engine understands;
 * the messages under it belong to that change from then on. Null where there is no summary.
 */
export async function leavePlan(
  view: TranscriptView,
  items: readonly ContextItem[],
  { store, time }: { store: Pick<LcmStore, 'exportGraph'>; time: TimeWords },
): Promise<CompactionPlan | null> {
  const runs = runsOf(items);
  if (runs.length === 0) return null;
  const graph = await store.exportGraph(view.session.id);
  const write = runs.map((run) => summaryRow(run, graph, time));
  const came = write.reduce((sum, { tokens }) => sum + tokens, 0);
  const members = runs.flat();
  return {
    kind: 'plan',
    outcome: 'success',
    reason: 'none',
    archive: [],
    write,
    state: stateChange({ removeItems: members.map(({ node }) => node.id), leave: true }),
    summaryModel: null,
    figures: plainFigures({
      tokensBefore: tokensOf(items),
      tokensAfter: tokensOf(items) - tokensOf(members) + came,
      rowsBefore: items.length,
      rowsAfter: items.length - members.length + write.length,
      rowsArchived: 0,
    }),
  };
}

/** Summaries that stand next to each other. */
function runsOf(items: readonly ContextItem[]): readonly (readonly SummaryItem[])[] {
  const runs: SummaryItem[][] = [];
  for (const [index, item] of items.entries()) {
    if (item.kind !== 'summary') continue;
    if (items[index - 1]?.kind === 'summary') runs.at(-1)!.push(item);
    else runs.push([item]);
  }
  return runs;
}

function summaryRow(run: readonly SummaryItem[], graph: LcmExport, time: TimeWords): PlannedRow {
  const byId = new Map(graph.summaries.map((summary) => [summary.id, summary]));
  const body = run
    .map(({ node }) => {
      const range = `${time(node.earliestAt)} – ${time(node.latestAt)}`;
      return `[${range}]\n${byId.get(node.id)?.content ?? ''}`;
    })
    .join('\n\n');
  const parts: Part[] = [{ type: 'text', text: wrapSummary(body) }];
  const lastRowId = lastMessage(run.at(-1)!.node.id, byId);
  return {
    role: 'user',
    kind: 'summary',
    parts,
    tokens: estimateParts(parts),
    place: { kind: 'range', lastRowId },
  };
}

/** The newest message under a summary. */
function lastMessage(id: string, byId: ReadonlyMap<string, LcmExport['summaries'][number]>): number {
  let summary = byId.get(id);
  while (summary && summary.messageIds.length === 0) summary = byId.get(summary.sourceIds.at(-1) ?? '');
  return summary?.messageIds.at(-1) ?? 0;
}

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
 * Hand a running session over: all summaries become one summary row where the first of them stand, which any engine
 * understands; the messages under it belong to that change from then on. Null where there is no summary.
 */
export async function leavePlan(
  view: TranscriptView,
  items: readonly ContextItem[],
  { store, time }: { store: Pick<LcmStore, 'exportGraph'>; time: TimeWords },
): Promise<CompactionPlan | null> {
  const members = items.filter((item) => item.kind === 'summary');
  if (members.length === 0) return null;
  const graph = await store.exportGraph(view.session.id);
  const row = summaryRow(members, firstRun(items), { graph, time });
  return {
    kind: 'plan',
    outcome: 'success',
    reason: 'none',
    archive: [],
    write: [row],
    state: stateChange({ removeItems: members.map(({ node }) => node.id), leave: true }),
    summaryModel: null,
    figures: plainFigures({
      tokensBefore: tokensOf(items),
      tokensAfter: tokensOf(items) - tokensOf(members) + row.tokens,
      rowsBefore: items.length,
      rowsAfter: items.length - members.length + 1,
      rowsArchived: 0,
    }),
  };
}

/** The first summary and those right behind it. */
function firstRun(items: readonly ContextItem[]): readonly SummaryItem[] {
  const start = items.findIndex((item) => item.kind === 'summary');
  const run: SummaryItem[] = [];
  for (const item of items.slice(start)) {
    if (item.kind !== 'summary') break;
    run.push(item);
  }
  return run;
}

function summaryRow(
  members: readonly SummaryItem[],
  first: readonly SummaryItem[],
  { graph, time }: { graph: LcmExport; time: TimeWords },
): PlannedRow {
  const byId = new Map(graph.summaries.map((summary) => [summary.id, summary]));
  const body = members
    .map(({ node }) => {
      const range = `${time(node.earliestAt)} – ${time(node.latestAt)}`;
      return `[${range}]\n${byId.get(node.id)?.content ?? ''}`;
    })
    .join('\n\n');
  const parts: Part[] = [{ type: 'text', text: wrapSummary(body) }];
  return {
    role: 'user',
    kind: 'summary',
    parts,
    tokens: estimateParts(parts),
    place: { kind: 'range', lastRowId: lastMessage(first.at(-1)!.node.id, byId) },
  };
}

/** The newest message under a summary. */
function lastMessage(id: string, byId: ReadonlyMap<string, LcmExport['summaries'][number]>): number {
  let summary = byId.get(id);
  while (summary && summary.messageIds.length === 0) summary = byId.get(summary.sourceIds.at(-1) ?? '');
  return summary?.messageIds.at(-1) ?? 0;
}

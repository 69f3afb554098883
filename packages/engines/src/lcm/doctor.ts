import {
  estimateTokens,
  type CompactionPlan,
  type LcmProblem,
  type LcmStore,
  type TranscriptView,
} from '@palimpsest/core';
import { redact } from '../compressor/redact.ts';
import type { BodyCache } from './body-cache.ts';
import { stateChange } from './build-plan.ts';
import { condensedSource } from './condensed-source.ts';
import type { ContextItem, RowItem, SummaryItem, SweptNode } from './items.ts';
import { leafSource, type SourceStyle } from './leaf-source.ts';
import { asNewSummary, condensedNode, leafNode } from './make-node.ts';
import { plainFigures } from './plan-figures.ts';
import { tokensOf } from './items.ts';
import type { SummaryDesk } from './summary-desk.ts';
import { writeText, type TextWish } from './write-text.ts';
import type { Sizes } from './sizes.ts';
import type { Say } from '../words/say.ts';
import type { LcmConfig, LcmExport } from '@palimpsest/core';

/** What is wrong, counted by kind: ids and counts, never text. */
export function doctorLines(problems: readonly LcmProblem[], say: Say): readonly string[] {
  if (problems.length === 0) return [say('lcmSound')];
  const kinds = Map.groupBy(problems, ({ severity, check }) => `${severity}: ${check}`);
  return [...kinds].map(([kind, found]) => {
    const ids = found.flatMap(
      ({ summaryId, messageId }) => summaryId ?? (messageId === null ? [] : `message ${messageId}`),
    );
    const shown = ids.slice(0, 3).join(', ');
    return `${kind} – ${found.length}${shown === '' ? '' : ` (${shown}${ids.length > 3 ? ', …' : ''})`}`;
  });
}

export interface RepairGround {
  store: Pick<LcmStore, 'exportGraph'>;
  bodies: BodyCache;
  items: readonly ContextItem[];
  desk: SummaryDesk;
  config: LcmConfig;
  sizes: Sizes;
  style: SourceStyle;
  restMs(): number;
}

/** Summaries redone at once; more wait for the next time. */
const mostRepairs = 8;

/**
 * Write weak summaries anew, the deepest sources first. Nothing is overwritten: each is a new revision beside the old row,
 * which names it, and takes its place in the context if it stands there. Null when nothing could be done better.
 */
export async function repairPlan(
  view: TranscriptView,
  problems: readonly LcmProblem[],
  ground: RepairGround,
): Promise<CompactionPlan | null> {
  const graph = await ground.store.exportGraph(view.session.id);
  const weak = new Set(
    problems.filter(({ severity }) => severity === 'weak').map(({ summaryId }) => summaryId),
  );
  const chosen = graph.summaries
    .filter(({ id, supersededBy }) => weak.has(id) && supersededBy === null)
    .toSorted((a, b) => a.depth - b.depth)
    .slice(0, mostRepairs);
  const made: { old: string; node: SweptNode }[] = [];
  for (const summary of chosen) {
    const node = await redo(view, summary, { ...ground, graph });
    if (node && node.id !== summary.id) made.push({ old: summary.id, node });
  }
  return made.length === 0 ? null : planOf(ground.items, made);
}

type Stored = LcmExport['summaries'][number];

async function redo(
  view: TranscriptView,
  summary: Stored,
  ground: RepairGround & { graph: LcmExport },
): Promise<SweptNode | null> {
  const { style, desk, config } = ground;
  const members = membersOf(summary, ground.graph);
  const source =
    summary.kind === 'leaf'
      ? await sourceOfLeaf(view, summary, style)
      : redact(condensedSource(members, style.time));
  if (source === '') return null;
  const sourceTokens = estimateTokens(source);
  const targetTokens = Math.max(96, Math.min(ground.sizes.leafTargetTokens, Math.floor(sourceTokens * 0.35)));
  const wish: TextWish = {
    depth: summary.depth,
    source,
    previous: '',
    focus: '',
    targetTokens,
    aggressiveTokens: Math.floor(targetTokens / 2),
    fallbackTokens: config.fallback_max_tokens,
    isSmaller: ({ content }) => estimateTokens(content) < sourceTokens,
    restMs: ground.restMs,
  };
  const end = await writeText(wish, { desk, config });
  if (end.kind !== 'text' || end.written.escalation === 'fallback') return null;
  const from = { sessionId: view.session.id, time: style.time, source };
  const items = summary.kind === 'leaf' ? [] : members.map(asItem);
  const node =
    summary.kind === 'leaf'
      ? leafNode(rowItems(summary), end.written, from)
      : condensedNode(items, end.written, from);
  // The same messages and summaries stand under it: only the text is new.
  const { earliestAt, latestAt, sourceMessageTokens, descendantCount, descendantTokens } = summary;
  return { ...node, earliestAt, latestAt, sourceMessageTokens, descendantCount, descendantTokens };
}

function membersOf(summary: Stored, graph: LcmExport): readonly Stored[] {
  const byId = new Map(graph.summaries.map((entry) => [entry.id, entry]));
  return summary.sourceIds.flatMap((id) => byId.get(id) ?? []);
}

async function sourceOfLeaf(
  view: TranscriptView,
  { messageIds }: Stored,
  style: SourceStyle,
): Promise<string> {
  const bodies = await view.bodies(messageIds);
  const rows = messageIds.flatMap((id) => bodies.get(id) ?? []);
  return leafSource(rows, bodies, style);
}

function asItem(summary: Stored): SummaryItem {
  return { kind: 'summary', ordinal: 0, tokens: summary.tokens, node: { ...summary, ordinal: 0 } };
}

function rowItems({ messageIds, earliestAt }: Stored): readonly RowItem[] {
  return messageIds.map((id) => ({
    kind: 'row',
    ordinal: 0,
    tokens: 0,
    row: { id, seq: 0, role: 'user', kind: 'person', tokens: 0, sentAt: earliestAt, toolCallIds: [] },
  }));
}

function planOf(
  items: readonly ContextItem[],
  made: readonly { old: string; node: SweptNode }[],
): CompactionPlan {
  const placed = new Map(
    items.flatMap((item) => (item.kind === 'summary' ? [[item.node.id, item] as const] : [])),
  );
  const swaps = made.flatMap(({ old, node }) => {
    const item = placed.get(old);
    return item ? [{ item, node }] : [];
  });
  const before = tokensOf(items);
  const change = swaps.reduce((sum, { item, node }) => sum + node.tokens - item.tokens, 0);
  return {
    kind: 'plan',
    outcome: 'success',
    reason: 'none',
    archive: [],
    write: [],
    state: stateChange({
      summaries: made.map(({ node }) => asNewSummary(node)),
      supersede: made.map(({ old, node }) => ({ summaryId: old, by: node.id })),
      removeItems: swaps.map(({ item }) => item.node.id),
      addItems: swaps.map(({ item, node }) => ({ summaryId: node.id, ordinal: item.ordinal })),
    }),
    summaryModel: made[0]!.node.model,
    figures: plainFigures({
      tokensBefore: before,
      tokensAfter: before + change,
      rowsBefore: items.length,
      rowsAfter: items.length,
      rowsArchived: 0,
    }),
  };
}

import {
  estimateParts,
  estimateTokens,
  messageFramingTokens,
  textOfParts,
  type CompactionFigures,
  type CompactionPlan,
  type CompressRequest,
  type MessageRow,
  type Part,
  type PlannedRow,
  type Role,
  type RowHeader,
  type Session,
} from '@palimpsest/core';
import type { Layout } from './choose-layout.ts';
import { leanKeptRows } from './lean-kept-rows.ts';
import type { LeanPruned } from './lean-ground.ts';
import type { Sizes } from './measure.ts';
import { clearResult } from './prune-tool-results.ts';
import { isImage, isMerged, isPerson } from './row-kinds.ts';
import { mergeSummary, splitMerged, systemNote, unwrapSummary, wrapSummary } from './summary-text.ts';
import type { SummaryCost } from './write-summary.ts';

/** Everything a plan is built from; bodies hold at least the rows of `rowsToRead`. */
export interface PlanGround {
  session: Session;
  rows: readonly RowHeader[];
  request: CompressRequest;
  sizes: Sizes;
  layout: Layout;
  bodies: ReadonlyMap<number, MessageRow>;
  /** null in legacy mode. */
  lean: LeanPruned | null;
  /** `tail_assistant_max_chars`. */
  mostAnswerChars: number | null;
}

/** The text that stands for the middle, and how it came about. */
export interface SummaryMade {
  body: string;
  outcome: Extract<CompactionPlan['outcome'], 'success' | 'deterministic'>;
  reason: CompactionPlan['reason'];
  escalation: CompactionFigures['escalation'];
  rowsDroppedWithoutSummary: number;
  summaryModel: string | null;
  cost: SummaryCost;
  cooldownMs?: number;
}

/** Ids of the rows whose texts a plan needs: what leaves, is cleared, is merged or was, and the open request. */
export function rowsToRead(rows: readonly RowHeader[], layout: Layout): readonly number[] {
  const indexes = new Set([...layout.middle, ...layout.cleared]);
  if (layout.summary && layout.summary.nextRow !== null) indexes.add(layout.summary.nextRow);
  if (layout.summary) for (const [index, row] of rows.entries()) if (isMerged(row)) indexes.add(index);
  const newest = rows.findLastIndex(isPerson);
  if (layout.summary && newest !== -1) indexes.add(newest);
  return [...indexes].map((index) => rows[index]!.id);
}

/** Bodies of all summaries that the new one takes the place of, oldest first; none at the first compaction. */
export function earlierSummaries(
  rows: readonly RowHeader[],
  bodies: ReadonlyMap<number, MessageRow>,
): readonly string[] {
  const texts = rows
    .filter((row) => row.kind === 'summary')
    .map((row) => summaryOf(row, bodies.get(row.id)?.parts ?? []));
  return texts.filter((text) => text !== '');
}

function summaryOf(row: RowHeader, parts: readonly Part[]): string {
  return isMerged(row) ? (splitMerged(parts).summary ?? '') : unwrapSummary(textOfParts(parts));
}

/** The plan of a layout; null when it would not make the prompt smaller (anti-growth guard). */
export function buildPlan(ground: PlanGround, made: SummaryMade | null): CompactionPlan | null {
  const { rows, layout } = ground;
  const changed = changedRows(ground, made);
  const gone = new Set(layout.middle);
  const archive = rows.filter((row, index) => gone.has(index) || changed.has(row.id));
  const write = [...summaryRow(ground, made), ...changed.values()];
  const removed = sumTokens(archive);
  const added = sumTokens(write);
  const isFirst = made !== null && ground.session.systemNote === null;
  const noteTokens = isFirst ? estimateTokens(systemNote) : 0;
  if (archive.length === 0 || added + noteTokens >= removed) return null;
  return {
    kind: 'plan',
    outcome: made?.outcome ?? 'fallback_trim',
    reason: made?.reason ?? 'none',
    archive: archive.map((row) => row.id),
    write,
    systemNote: isFirst ? systemNote : undefined,
    summaryModel: made?.summaryModel ?? null,
    figures: figuresOf(ground, made, {
      pruned: write.filter((row) => row.kind === 'tool').length,
      images: imagesIn(archive.map((row) => partsOf(ground, row))) - imagesIn(write.map((row) => row.parts)),
      archived: archive.length,
      written: write.length,
      change: added - removed,
      noteTokens,
    }),
    cooldownMs: made?.cooldownMs,
  };
}

function summaryRow({ rows, layout }: PlanGround, made: SummaryMade | null): PlannedRow[] {
  const spot = layout.summary;
  if (!spot || !made || spot.place.kind === 'merge') return [];
  const parts: Part[] = [{ type: 'text', text: wrapSummary(made.body) }];
  const place = { kind: 'range', lastRowId: rows[spot.lastRow]!.id } as const;
  return [{ role: spot.place.role, kind: 'summary', parts, tokens: estimateParts(parts), place }];
}

/** Kept rows that stay in another form, by id: cleared results, the row a summary is merged into, rows merged before. */
function changedRows(ground: PlanGround, made: SummaryMade | null): ReadonlyMap<number, PlannedRow> {
  const { rows, layout, bodies } = ground;
  const gone = new Set(layout.middle);
  const changed = new Map<number, PlannedRow>();
  const pruned = prunedRows(ground);
  for (const [index, parts] of pruned) {
    const row = rows[index]!;
    const planned = replacement(row, row.kind, parts);
    if (planned.tokens < row.tokens) changed.set(row.id, planned);
  }
  if (!made || !layout.summary) return changed;
  const target = layout.summary.place.kind === 'merge' ? layout.summary.nextRow : null;
  for (const [index, row] of rows.entries()) {
    if (gone.has(index) || (index !== target && !isMerged(row))) continue;
    const { content } = splitMerged(pruned.get(index) ?? bodies.get(row.id)?.parts ?? []);
    const parts = index === target ? mergeSummary(made.body, content) : content;
    changed.set(row.id, replacement(row, index === target ? 'summary' : kindOfRole(row.role), parts));
  }
  return changed;
}

/** Kept rows with less in them, by index: cleared results in legacy mode, stubs, images and long answers in lean mode. */
function prunedRows({
  rows,
  layout,
  bodies,
  lean,
  mostAnswerChars,
}: PlanGround): ReadonlyMap<number, readonly Part[]> {
  if (lean) return leanKeptRows(rows, layout, { lean, mostAnswerChars });
  const cleared = layout.cleared.map(
    (index) => [index, clearResult(bodies.get(rows[index]!.id)?.parts ?? [])] as const,
  );
  return new Map(cleared.filter(([, parts]) => parts.length > 0));
}

function replacement(row: RowHeader, kind: PlannedRow['kind'], parts: readonly Part[]): PlannedRow {
  const { role, sender, sentAt } = row;
  return {
    role,
    kind,
    parts,
    tokens: estimateParts(parts),
    sentAt,
    sender,
    place: { kind: 'replaces', rowId: row.id },
  };
}

function kindOfRole(role: Role): 'person' | 'assistant' | 'tool' {
  return role === 'user' ? 'person' : role;
}

function figuresOf(
  { rows, request, sizes }: PlanGround,
  made: SummaryMade | null,
  sums: {
    pruned: number;
    images: number;
    archived: number;
    written: number;
    change: number;
    noteTokens: number;
  },
): CompactionFigures {
  const after = request.promptTokens + sums.change * sizes.scale + sums.noteTokens;
  return {
    tokensBefore: request.promptTokens,
    tokensBeforeSource: request.promptTokensSource,
    tokensAfter: Math.max(sizes.overheadTokens, Math.round(after)),
    rowsBefore: rows.length,
    rowsAfter: rows.length - sums.archived + sums.written,
    rowsArchived: sums.archived,
    rowsProtected: rows.length - sums.archived,
    rowsDroppedWithoutSummary: made?.rowsDroppedWithoutSummary ?? 0,
    toolResultsPruned: sums.pruned,
    imagesDropped: sums.images,
    summaryTokens: made ? estimateTokens(made.body) + messageFramingTokens : 0,
    summaryCalls: made?.cost.calls ?? 0,
    summaryInputTokens: made?.cost.inputTokens ?? 0,
    summaryOutputTokens: made?.cost.outputTokens ?? 0,
    escalation: made?.escalation ?? 'normal',
  };
}

function partsOf({ bodies }: PlanGround, row: RowHeader): readonly Part[] {
  return bodies.get(row.id)?.parts ?? [];
}

function imagesIn(rows: readonly (readonly Part[])[]): number {
  return rows.reduce((sum, parts) => sum + parts.filter(isImage).length, 0);
}

function sumTokens(rows: readonly { tokens: number }[]): number {
  return rows.reduce((sum, row) => sum + row.tokens, 0);
}

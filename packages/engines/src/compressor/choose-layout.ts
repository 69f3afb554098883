import type { CompressionConfig, ProtectedParts, RowHeader } from '@palimpsest/core';
import { chooseRole, findBridge, type Neighbours, type SummaryPlace } from './choose-role.ts';
import { findBoundaries, type BoundaryLimits, type Level } from './find-boundaries.ts';
import { findHead } from './find-head.ts';
import { groupRows, type Unit } from './group-rows.ts';
import type { Sizes } from './measure.ts';
import { isPlainSummary } from './row-kinds.ts';
import { leanCeilingTokens } from './tail-budget.ts';

/** What a compaction does to each row, decided on headers alone. Indexes are into the live rows. */
export interface Layout {
  level: Level;
  /** Rows that leave the prompt, earlier summaries included, ascending. */
  middle: readonly number[];
  /** Those of them that are told in the summary: all but plain summaries. */
  content: readonly number[];
  /** Kept tool results whose text is cleared, because nothing less would fit. */
  cleared: readonly number[];
  /** null: nothing to summarise, only results are cleared. */
  summary: SummarySpot | null;
}

export interface SummarySpot {
  place: SummaryPlace;
  /** Last row of the stretch that the summary stands behind. */
  lastRow: number;
  /** First kept row behind it that a summary may be merged into; null at the end. */
  nextRow: number | null;
}

/** A result below this saves nothing worth a changed prompt. */
export const clearableTokens = 80;
/** What a cleared result still costs. */
const clearedTokens = 40;
/** A range below this is not worth a summary: the handoff around it costs as much. */
const leastContentTokens = 300;

/**
 * Find the mildest layout that brings the prompt under the hard limit: the policy of the requirements, else without row
 * floor and with long results cleared, oldest first, else nothing but the newest message of the person.
 * returns null when there is nothing to take out
 */
export function chooseLayout(
  rows: readonly RowHeader[],
  sizes: Sizes,
  config: CompressionConfig,
): Layout | null {
  const units = groupRows(rows);
  const mustFit = sizes.promptTokens >= sizes.hardLimitTokens;
  // Room for an answer and a tool round, so that the next request does not come back at once.
  const goalTokens = mustFit ? sizes.hardLimitTokens * 0.95 : sizes.hardLimitTokens;
  let best: Layout | null = null;
  for (const level of ['normal', 'tight', 'bare'] as const) {
    const layout = layOut({ rows, units, sizes, config, level, goalTokens });
    if (layout && promptAfter(layout, rows, sizes) < goalTokens) return layout;
    best = layout ?? best;
    if (!mustFit && (level === 'tight' || !layout)) return best;
  }
  return best;
}

interface Ground {
  rows: readonly RowHeader[];
  units: readonly Unit[];
  sizes: Sizes;
  config: CompressionConfig;
  level: Level;
  goalTokens: number;
}

function layOut(ground: Ground): Layout | null {
  const { rows, units, sizes, level } = ground;
  const limits = boundaryLimits(ground);
  const { headEnd, tailStart, carried } = findBoundaries(rows, units, limits);
  const kept = rows.map((row, index) => (index < headEnd || index >= tailStart) && !isPlainSummary(row));
  for (const index of carried) kept[index] = true;
  const summary = placeSummary(rows, kept, limits.tailTokens / 4);
  const middle = summary ? indexesWhere(kept, false) : [];
  const content = middle.filter((index) => !isPlainSummary(rows[index]!));
  const isWorthIt = tokensOf(content, rows) * sizes.scale >= leastContentTokens;
  const layout: Layout = isWorthIt
    ? { level, middle, content, cleared: [], summary }
    : { level, middle: [], content: [], cleared: [], summary: null };
  const cleared = level === 'normal' ? [] : resultsToClear(layout, ground);
  return isWorthIt || cleared.length > 0 ? { ...layout, cleared } : null;
}

/** What the mildest layout keeps at both ends, in estimated tokens. Summaries are neither: they are written anew. */
export function protectedParts(
  rows: readonly RowHeader[],
  sizes: Sizes,
  config: CompressionConfig,
): ProtectedParts {
  const units = groupRows(rows);
  const limits = boundaryLimits({ rows, units, sizes, config, level: 'normal', goalTokens: 0 });
  const { headEnd, tailStart } = findBoundaries(rows, units, limits);
  const sum = (part: readonly RowHeader[]): number =>
    part.reduce((tokens, row) => (row.kind === 'summary' ? tokens : tokens + row.tokens), 0);
  const middle = rows.slice(headEnd, tailStart);
  return {
    headTokens: sum(rows.slice(0, headEnd)),
    tailTokens: sum(rows.slice(tailStart)),
    resultTokens: sum(middle.filter((row) => row.role === 'tool')),
  };
}

/** Budgets in estimated tokens. */
function boundaryLimits({ rows, units, sizes, config, level }: Ground): BoundaryLimits {
  const { triggerTokens, overheadTokens, scale } = sizes;
  const headTokens = headLimit(rows, sizes, config);
  const head = rows.slice(0, findHead(rows, units, headTokens)).reduce((sum, row) => sum + row.tokens, 0);
  const fixed = overheadTokens + head * scale + sizes.summaryRowTokens;
  const room = roomForTail(fixed, sizes);
  return {
    level,
    headTokens,
    tailTokens: Math.min(sizes.tailTokens, room) / scale,
    floorTokens: Math.max(0, Math.min(triggerTokens / 2, room) - sizes.toComeTokens) / scale,
    anchorTokens: config.tail_mode === 'lean' ? leanCeilingTokens(sizes.windowTokens) / scale : undefined,
    protectLastN: config.protect_last_n,
    minTailUserMessages: config.min_tail_user_messages,
  };
}

/** Most estimated tokens of the head. With `protect_first_n_decay` a session that has a summary has no head any more. */
function headLimit(rows: readonly RowHeader[], sizes: Sizes, config: CompressionConfig): number {
  if (config.protect_first_n_decay && rows.some((row) => row.kind === 'summary')) return 0;
  const { triggerTokens, hardLimitTokens, overheadTokens, scale } = sizes;
  return (
    Math.max(0.5 * (triggerTokens - overheadTokens), 0.25 * (hardLimitTokens - overheadTokens), 0) / scale
  );
}

/**
 * Tokens that tail and carried rows may have beside what stays in any case, so that the result lies a fifth below the
 * trigger and does not come back at the next step. Where tools and system prompt alone nearly reach the trigger that is
 * out of reach, and only the hard limit counts.
 */
function roomForTail(fixedTokens: number, { triggerTokens, hardLimitTokens }: Sizes): number {
  const room = 0.8 * triggerTokens - fixedTokens;
  if (room >= 0.1 * triggerTokens) return room;
  return Math.max(room, 0.5 * (hardLimitTokens - fixedTokens), 0);
}

/**
 * Where the summary stands: behind the first stretch of rows that leave. May keep one more row as a bridge.
 * kept   changed when a bridge is found
 */
function placeSummary(rows: readonly RowHeader[], kept: boolean[], bridgeTokens: number): SummarySpot | null {
  const found = firstStretch(rows, kept);
  if (!found || found.place.kind === 'row') return found;
  const first = kept.indexOf(false);
  const neighbours = neighboursOf(rows, kept, { first, last: found.lastRow });
  const bridge = first + findBridge(rows.slice(first, found.lastRow + 1), neighbours, bridgeTokens);
  if (bridge < first) return found;
  kept[bridge] = true;
  const bridged = firstStretch(rows, kept);
  if (bridged?.place.kind === 'row') return bridged;
  kept[bridge] = false;
  return found;
}

function firstStretch(rows: readonly RowHeader[], kept: readonly boolean[]): SummarySpot | null {
  const first = kept.indexOf(false);
  if (first === -1 || !rows.some((row, index) => !kept[index] && !isPlainSummary(row))) return null;
  const next = kept.indexOf(true, first);
  const last = next === -1 ? rows.length - 1 : next - 1;
  const place = chooseRole(neighboursOf(rows, kept, { first, last }));
  const target = rows.findIndex((row, index) => index > last && kept[index] && row.role !== 'tool');
  return { place, lastRow: last, nextRow: target === -1 ? null : target };
}

function neighboursOf(
  rows: readonly RowHeader[],
  kept: readonly boolean[],
  stretch: { first: number; last: number },
): Neighbours {
  const isKept = (_: RowHeader, index: number): boolean => kept[index]!;
  return {
    before: rows.slice(0, stretch.first),
    after: rows.filter((row, index) => index > stretch.last && isKept(row, index)),
  };
}

/** Tool results of kept rows, oldest first, until the prompt fits. */
function resultsToClear(layout: Layout, { rows, sizes, goalTokens }: Ground): readonly number[] {
  const gone = new Set(layout.middle);
  const cleared: number[] = [];
  let over = promptAfter(layout, rows, sizes) - goalTokens;
  for (const [index, row] of rows.entries()) {
    if (over < 0) break;
    if (row.role !== 'tool' || row.tokens < clearableTokens || gone.has(index)) continue;
    cleared.push(index);
    over -= (row.tokens - clearedTokens) * sizes.scale;
  }
  return cleared;
}

function promptAfter(layout: Layout, rows: readonly RowHeader[], sizes: Sizes): number {
  const taken = tokensOf(layout.middle, rows);
  const saved = tokensOf(layout.cleared, rows) - layout.cleared.length * clearedTokens;
  const summary = layout.summary ? sizes.summaryRowTokens : 0;
  return sizes.overheadTokens + (sizes.liveEstimate - taken - saved) * sizes.scale + summary;
}

function tokensOf(indexes: readonly number[], rows: readonly RowHeader[]): number {
  return indexes.reduce((sum, index) => sum + rows[index]!.tokens, 0);
}

function indexesWhere(kept: readonly boolean[], value: boolean): number[] {
  return kept.flatMap((isKept, index) => (isKept === value ? [index] : []));
}

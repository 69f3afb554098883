import type { RowHeader } from '@palimpsest/core';
import { findHead } from './find-head.ts';
import type { Unit } from './group-rows.ts';
import { isPerson, isPlainAnswer, isPlainSummary } from './row-kinds.ts';

/**
 * normal   the policy of the requirements
 * tight    no row floor, only the newest message of the person is carried
 * bare     nothing but the newest message of the person and a call in flight
 */
export type Level = 'normal' | 'tight' | 'bare';

/** All sizes in the units of `RowHeader.tokens`. */
export interface BoundaryLimits {
  level: Level;
  headTokens: number;
  tailTokens: number;
  /** Most tokens that the row floor and the anchors may cost together. */
  floorTokens: number;
  /** A stretch back to an anchor that costs more is not kept whole; as much as floor and tail when left out. */
  anchorTokens?: number;
  protectLastN: number;
  minTailUserMessages: number;
}

export interface Boundaries {
  /** Index behind the protected first exchange. */
  headEnd: number;
  /** Index of the first row of the tail; rows.length when there is none. */
  tailStart: number;
  /** Rows between head and tail that stay live on their own, ascending. */
  carried: readonly number[];
}

/** Rows above the head that stay summarisable whatever the floor says, and the least floor that remains. */
const summarisableRows = 2;
const leastFloorRows = 3;

/**
 * Phase 2: what stays word for word.
 *
 *   head │ middle → summary, except carried rows │ tail
 *
 * The tail grows from the end by the token budget, then by the row floor while that fits `floorTokens`, then back to the
 * anchors: newest message of the person, last complete exchange, `min_tail_user_messages`. An anchor too far back for
 * the budget (one turn of a hundred tool rounds) is carried: its message stays live without what lies between. No cut
 * lies inside a tool group.
 */
export function findBoundaries(
  rows: readonly RowHeader[],
  units: readonly Unit[],
  limits: BoundaryLimits,
): Boundaries {
  if (limits.level === 'bare') return keepNewestMessage(rows, units);
  const headEnd = findHead(rows, units, limits.headTokens);
  const walk = new TailWalk(rows, units, headEnd);
  let start = startOfTail(walk, limits);
  const carried = new Set<number>();
  const anchorTokens = limits.anchorTokens ?? Math.max(limits.floorTokens, limits.tailTokens);
  for (const anchor of findAnchors(rows, limits)) {
    const loose = anchor.filter((index) => index >= headEnd);
    if (loose.length === 0) continue;
    const unit = walk.unitOf(loose[0]!);
    const isNear = unit >= walk.firstUnit && walk.tokensFrom(unit) <= anchorTokens;
    if (isNear && limits.level === 'normal') start = Math.min(start, unit);
    else for (const index of loose) carried.add(index);
  }
  const tailStart = Math.max(headEnd, walk.rowOf(start));
  return { headEnd, tailStart, carried: between([...carried], headEnd, tailStart) };
}

/** Budget first; the row floor wins while it fits; the newest unit always stays. */
function startOfTail(walk: TailWalk, limits: BoundaryLimits): number {
  const byBudget = walk.byTokens(limits.tailTokens);
  const newest = walk.units.length - 1;
  if (limits.level === 'tight') return Math.min(byBudget, newest);
  const byFloor = walk.byRows(floorRows(walk, limits), limits.floorTokens);
  // The whole transcript within the budget means that the budget says nothing: the floor alone decides.
  const start = byBudget <= walk.firstUnit ? byFloor : Math.min(byBudget, byFloor);
  return Math.min(start, newest);
}

function floorRows(walk: TailWalk, limits: BoundaryLimits): number {
  const available = walk.rows.length - walk.headEnd - walk.rows.filter(isPlainSummary).length;
  return Math.min(limits.protectLastN, Math.max(leastFloorRows, available - summarisableRows));
}

/** Each anchor: the rows to carry if the stretch from the first of them to the end is too long to be kept whole. */
function findAnchors(rows: readonly RowHeader[], limits: BoundaryLimits): readonly (readonly number[])[] {
  const newest = newestMessage(rows, limits.floorTokens);
  if (limits.level === 'tight') return newest.map((index) => [index]);
  const users = rows
    .flatMap((row, index) => (isPerson(row) ? [index] : []))
    .slice(-limits.minTailUserMessages);
  const exchange = lastCompleteExchange(rows);
  return [...newest, ...users].map((index) => [index]).concat(exchange ? [exchange] : []);
}

/** The last plain answer with the message it answers. */
function lastCompleteExchange(rows: readonly RowHeader[]): number[] | null {
  const answer = rows.findLastIndex(isPlainAnswer);
  const question = rows.findLastIndex((row, index) => index < answer && isPerson(row));
  return question === -1 ? null : [question, answer];
}

/** The newest message of the person: with the ones sent right before it while they fit, since they are one input. */
function newestMessage(rows: readonly RowHeader[], limitTokens: number): readonly number[] {
  const newest = rows.findLastIndex(isPerson);
  if (newest === -1) return [];
  const run = [newest];
  let tokens = rows[newest]!.tokens;
  for (let index = newest - 1; index >= 0 && isPerson(rows[index]!); index--) {
    tokens += rows[index]!.tokens;
    if (tokens > limitTokens) break;
    run.unshift(index);
  }
  return run;
}

/** Level bare: the newest message alone, and a trailing call whose results are still to come. */
function keepNewestMessage(rows: readonly RowHeader[], units: readonly Unit[]): Boundaries {
  const last = units.at(-1);
  const tailStart = last?.open ? last.start : rows.length;
  return { headEnd: 0, tailStart, carried: between([...newestMessage(rows, 0)], 0, tailStart) };
}

function between(indexes: number[], from: number, to: number): readonly number[] {
  return indexes.filter((index) => index >= from && index < to).sort((a, b) => a - b);
}

/** Walks units from the newest to the head. Plain summaries end it: they are folded into the next one, never kept. */
class TailWalk {
  readonly rows: readonly RowHeader[];
  readonly units: readonly Unit[];
  readonly headEnd: number;
  readonly firstUnit: number;
  /** Tokens from unit i to the end. */
  readonly #suffix: Float64Array;
  readonly #unitOfRow: Int32Array;

  constructor(rows: readonly RowHeader[], units: readonly Unit[], headEnd: number) {
    this.rows = rows;
    this.units = units;
    this.headEnd = headEnd;
    this.#suffix = new Float64Array(units.length + 1);
    this.#unitOfRow = new Int32Array(rows.length);
    for (let unit = units.length - 1; unit >= 0; unit--) {
      this.#suffix[unit] = this.#suffix[unit + 1]! + units[unit]!.tokens;
      this.#unitOfRow.fill(unit, units[unit]!.start, units[unit]!.end);
    }
    const lastSummary = rows.findLastIndex(isPlainSummary);
    const barrier = Math.max(headEnd, lastSummary + 1);
    const first = units.findIndex((unit) => unit.start >= barrier);
    this.firstUnit = first === -1 ? units.length : first;
  }

  unitOf(row: number): number {
    return this.#unitOfRow[row]!;
  }

  rowOf(unit: number): number {
    return this.units[Math.max(unit, this.firstUnit)]?.start ?? this.rows.length;
  }

  tokensFrom(unit: number): number {
    return this.#suffix[unit]!;
  }

  /** First unit of the longest end of the transcript within a budget; units.length when not even one fits. */
  byTokens(limitTokens: number): number {
    let unit = this.units.length;
    while (unit > this.firstUnit && this.#suffix[unit - 1]! <= limitTokens) unit--;
    return unit;
  }

  /** First unit of the shortest end that has `count` rows, as far as it fits the budget. */
  byRows(count: number, limitTokens: number): number {
    let unit = this.units.length;
    while (
      unit > this.firstUnit &&
      this.rows.length - (this.units[unit]?.start ?? this.rows.length) < count
    ) {
      if (this.#suffix[unit - 1]! > limitTokens) break;
      unit--;
    }
    return unit;
  }
}

import type { BlockActivity, Config, DcpBlock, DcpState, DcpUnitId, TranscriptView } from '@palimpsest/core';
import { activeBlocks, blockActivity, blocksByNumber, coverOfUnits, shownTokens } from '@palimpsest/core';
import { formatBlockRef, formatUnitRef } from '../refs/format-ref.ts';
import { groupUnits, type DcpUnit } from '../refs/group-units.ts';
import { unitSavings } from '../state/unit-savings.ts';

export type DcpConfig = Config['context']['dcp'];

/** The whole raw transcript as a compress call sees it. Positions are indexes of `units`. */
export interface CompressGround {
  state: DcpState;
  config: DcpConfig;
  windowTokens: number;
  units: readonly DcpUnit[];
  /** Number of a unit's ref → position, of live units. */
  positions: ReadonlyMap<number, number>;
  blocks: ReadonlyMap<number, DcpBlock>;
  activity: ReadonlyMap<number, BlockActivity>;
  active: readonly DcpBlock[];
  /** The active block that hides a unit. */
  cover: ReadonlyMap<DcpUnitId, DcpBlock>;
  /** First and last position that an active block covers, by number. */
  spans: ReadonlyMap<number, Span>;
  /** Tokens that the prompt shows of a unit. */
  tokensOf(unit: DcpUnit): number;
}

/** Positions, both included. */
export interface Span {
  first: number;
  last: number;
}

export interface GroundInput {
  state: DcpState;
  config: DcpConfig;
  view: Pick<TranscriptView, 'rows'>;
  windowTokens: number;
  /** The turn whose round is not stored yet. */
  runningTurnId?: string;
}

/** Refs must have been assigned before, in `state`. Linear in the live rows. */
export function compressGround({
  state,
  config,
  view,
  windowTokens,
  runningTurnId,
}: GroundInput): CompressGround {
  const units = groupUnits(view.rows);
  const blocks = blocksByNumber(state);
  const activity = blockActivity(state, { rows: view.rows, isWhole: true, runningTurnId });
  const active = activeBlocks(state, activity);
  const cover = coverOfUnits(active, blocks);
  const positions = new Map<number, number>();
  const spans = new Map<number, Span>();
  for (const [index, unit] of units.entries()) {
    const number = state.refs.get(unit.id);
    if (number !== undefined) positions.set(number, index);
    const block = cover.get(unit.id);
    if (block) spans.set(block.number, { first: spans.get(block.number)?.first ?? index, last: index });
  }
  const savingsOf = unitSavings(state);
  const tokensOf = (unit: DcpUnit): number => Math.max(1, unit.tokens - savingsOf(unit));
  return {
    state,
    config,
    windowTokens,
    units,
    positions,
    blocks,
    activity,
    active,
    cover,
    spans,
    tokensOf,
  };
}

/** The ref by which a position is named: that of the block that hides it, else its own. */
export function refAt({ units, cover, state }: CompressGround, position: number): string {
  const unit = units[position];
  const block = unit && cover.get(unit.id);
  if (block) return formatBlockRef(block.number);
  const number = unit && state.refs.get(unit.id);
  return number === undefined ? '?' : formatUnitRef(number);
}

/** Tokens that a block takes out of the prompt: its units as they were shown, and the texts of the blocks it takes in. */
export function replacedTokens(block: DcpBlock, blocks: ReadonlyMap<number, DcpBlock>): number {
  const inner = block.consumed.flatMap((number) => blocks.get(number) ?? []);
  return inner.reduce((sum, one) => sum + shownTokens(one, blocks), block.rawTokens);
}

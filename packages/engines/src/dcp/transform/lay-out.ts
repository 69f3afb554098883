import {
  activeBlocks,
  blockActivity,
  blocksByNumber,
  coverOfUnits,
  type DcpBlock,
  type DcpState,
  type DcpUnitId,
  type RowHeader,
} from '@palimpsest/core';
import { groupUnits, type DcpUnit } from '../refs/group-units.ts';
import type { BlocksByNumber } from './block-text.ts';

/** What takes one place of the prompt: a unit as it is, or a block in the place of its first unit. */
export type ShownItem =
  | { kind: 'unit'; unit: DcpUnit }
  /** `units` are those it hides here, what lies unnumbered between them included. */
  | { kind: 'block'; block: DcpBlock; units: readonly DcpUnit[] };

export interface DcpLayout {
  items: readonly ShownItem[];
  /** All units of the live rows. */
  units: readonly DcpUnit[];
  /** All blocks, shown or not. */
  blocks: BlocksByNumber;
  /** Shown ones, ascending by number. */
  active: readonly DcpBlock[];
}

/**
 * Where each live row goes: shown, or hidden under exactly one block. A block is shown where the first unit that it
 * hides is found, so that nothing is ever hidden without its summary. What the service wrote between two hidden units of
 * a block goes with them.
 */
export function layOut(
  state: Pick<DcpState, 'blocks'>,
  rows: readonly RowHeader[],
  runningTurnId?: string,
): DcpLayout {
  const units = groupUnits(rows);
  const blocks = blocksByNumber(state);
  const active = activeBlocks(state, blockActivity(state, { rows, isWhole: true, runningTurnId }));
  const cover = coverOfUnits(active, blocks);
  return { items: placeItems(units, cover), units, blocks, active };
}

function placeItems(
  units: readonly DcpUnit[],
  cover: ReadonlyMap<DcpUnitId, DcpBlock>,
): readonly ShownItem[] {
  const last = new Map<DcpBlock, number>();
  for (const [index, unit] of units.entries()) {
    const block = cover.get(unit.id);
    if (block) last.set(block, index);
  }
  const items: ShownItem[] = [];
  const hidden = new Map<DcpBlock, DcpUnit[]>();
  let open: DcpBlock | null = null;
  for (const [index, unit] of units.entries()) {
    const covering = cover.get(unit.id);
    const block: DcpBlock | null = covering ?? (unit.isNumbered || unit.isOpen ? null : open);
    if (!block) {
      items.push({ kind: 'unit', unit });
      continue;
    }
    const inside: DcpUnit[] = hidden.get(block) ?? [];
    if (inside.length === 0) items.push({ kind: 'block', block, units: inside });
    inside.push(unit);
    hidden.set(block, inside);
    open = index < (last.get(block) ?? -1) ? block : null;
  }
  return items;
}

/** Ids of the rows whose texts a prompt needs: those of no hidden unit. */
export function shownRowIds({ items }: Pick<DcpLayout, 'items'>): readonly number[] {
  return items.flatMap((item) => (item.kind === 'unit' ? item.unit.rows.map((row) => row.id) : []));
}

/** Messages of the assembled prompt. */
export function shownRows({ items }: Pick<DcpLayout, 'items'>): number {
  return items.reduce((sum, item) => sum + (item.kind === 'block' ? 1 : item.unit.rows.length), 0);
}

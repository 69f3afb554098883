import type { DcpState } from '@palimpsest/core';
import type { DcpConfig } from '../compress/ground.ts';
import type { DcpUnit } from '../refs/group-units.ts';
import { unitSavings } from '../state/unit-savings.ts';
import type { DcpLayout } from './lay-out.ts';
import { blockTokens } from './transform.ts';

/** A mark such as `[m0042]` on a line of its own. */
const refTokens = 6;

export interface DcpSizes {
  /** Estimated tokens of each shown item, in order. */
  items: readonly number[];
  /** Their sum. */
  tokens: number;
  /** Of the blocks among them. */
  summaryTokens: number;
}

/** What the transformed conversation weighs, told without any text of a row; nudges left out. */
export function measureLayout(layout: DcpLayout, state: DcpState, config: DcpConfig): DcpSizes {
  const savingsOf = unitSavings(state);
  let summaryTokens = 0;
  const items = layout.items.map((item) => {
    if (item.kind === 'unit') return unitTokens(item.unit, savingsOf);
    const tokens = blockTokens(item.block.number, layout.blocks, config);
    summaryTokens += tokens;
    return tokens;
  });
  return { items, tokens: items.reduce((sum, tokens) => sum + tokens, 0), summaryTokens };
}

function unitTokens(unit: DcpUnit, savingsOf: (unit: DcpUnit) => number): number {
  const texts = unit.kind === 'steps' ? Math.max(1, unit.rows.length - 1) : 1;
  return Math.max(refTokens, unit.tokens + texts * refTokens - savingsOf(unit));
}

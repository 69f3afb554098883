import type { Config, DcpState, DcpUnitId } from '@palimpsest/core';
import type { DcpUnit } from '../refs/group-units.ts';
import type { DcpLayout } from './lay-out.ts';
import { blockTokens } from './transform.ts';

type DcpConfig = Config['context']['dcp'];

/** A mark such as `[m0042]` on a line of its own. */
const refTokens = 6;
/** Header, mark and framing of a block that its call's arguments do not hold. */
const frameTokens = 30;

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
  const savings = savingsOf(state);
  let summaryTokens = 0;
  const items = layout.items.map((item) => {
    if (item.kind === 'unit') return unitTokens(item.unit, savings);
    const tokens = blockTokens(item.block.number, layout.blocks, config);
    summaryTokens += tokens;
    return tokens;
  });
  return { items, tokens: items.reduce((sum, tokens) => sum + tokens, 0), summaryTokens };
}

interface Savings {
  marks: ReadonlyMap<DcpUnitId, number>;
  /** `turn call` of a past compress call → tokens of the summaries that its arguments no longer hold. */
  stubs: ReadonlyMap<string, number>;
}

function savingsOf(state: DcpState): Savings {
  const marks = new Map<DcpUnitId, number>();
  for (const { unitId, tokens } of state.marks) marks.set(unitId, (marks.get(unitId) ?? 0) + tokens);
  const stubs = new Map<string, number>();
  for (const { origin, summaryTokens } of state.blocks) {
    if (!origin) continue;
    const call = `${origin.turnId} ${origin.callId}`;
    stubs.set(call, (stubs.get(call) ?? 0) + Math.max(0, summaryTokens - frameTokens));
  }
  return { marks, stubs };
}

function unitTokens(unit: DcpUnit, { marks, stubs }: Savings): number {
  const [first] = unit.rows;
  let saved = marks.get(unit.id) ?? 0;
  for (const callId of first?.toolCallIds ?? []) saved += stubs.get(`${first?.turnId} ${callId}`) ?? 0;
  const texts = unit.kind === 'steps' ? Math.max(1, unit.rows.length - 1) : 1;
  return Math.max(refTokens, unit.tokens + texts * refTokens - saved);
}

import { originKey, type DcpState, type DcpUnitId } from '@palimpsest/core';
import type { DcpUnit } from '../refs/group-units.ts';

/** Header, mark and framing of a block that the arguments of its call do not hold. */
const frameTokens = 30;

/**
 * Tokens of a unit that the prompt leaves out although the unit is shown: marked calls, and summaries in the arguments of
 * compress calls that became blocks.
 */
export function unitSavings(state: Pick<DcpState, 'blocks' | 'marks'>): (unit: DcpUnit) => number {
  const marks = new Map<DcpUnitId, number>();
  for (const { unitId, tokens } of state.marks) marks.set(unitId, (marks.get(unitId) ?? 0) + tokens);
  const stubs = new Map<string, number>();
  for (const { origin, summaryTokens } of state.blocks) {
    if (!origin) continue;
    const call = originKey(origin.turnId, origin.callId);
    stubs.set(call, (stubs.get(call) ?? 0) + Math.max(0, summaryTokens - frameTokens));
  }
  return (unit) => {
    const [first] = unit.rows;
    const calls = first?.toolCallIds ?? [];
    const stubbed = calls.reduce(
      (sum, callId) => sum + (stubs.get(originKey(first?.turnId, callId)) ?? 0),
      0,
    );
    return stubbed + (marks.get(unit.id) ?? 0);
  };
}

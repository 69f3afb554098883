import type { DcpMark, DcpState, DcpUnitId, MessageRow } from '@palimpsest/core';
import type { DcpConfig } from '../compress/ground.ts';
import { computeMarks, markOf, openCalls } from '../strategies/compute-marks.ts';
import { listCalls, type UnitTexts } from '../strategies/list-calls.ts';
import type { DcpLayout } from '../transform/lay-out.ts';

/** The shown units with their texts. */
export function shownTexts(
  { items }: DcpLayout,
  bodies: ReadonlyMap<number, MessageRow>,
): readonly UnitTexts[] {
  return items.flatMap((item) => {
    if (item.kind === 'block') return [];
    const rows = item.unit.rows.flatMap((header) => bodies.get(header.id) ?? []);
    return [{ id: item.unit.id, rows }];
  });
}

/** What the automatic strategies give; `force` runs them in manual mode too. */
export function strategyMarks(
  state: DcpState,
  texts: readonly UnitTexts[],
  { config, force }: { config: DcpConfig; force: boolean },
): readonly DcpMark[] {
  return computeMarks(force ? { ...state, manualMode: false } : state, texts, config);
}

/** Outputs too large for a prompt that no longer fits, those of units that stay left out. */
export function oversizedMarks(
  state: DcpState,
  texts: readonly UnitTexts[],
  { config, keeps }: { config: DcpConfig; keeps: ReadonlySet<DcpUnitId> },
): readonly DcpMark[] {
  const large = openCalls(state, listCalls(texts), config).filter(
    ({ unitId, outputTokens }) => outputTokens > config.emergency.stubOverTokens && !keeps.has(unitId),
  );
  return large.flatMap((call) => markOf(call, 'oversized') ?? []);
}

import type { DcpRef, DcpState } from '@palimpsest/core';
import { mostRefs } from './format-ref.ts';
import type { DcpUnit } from './group-units.ts';

export type AssignedRefs = { kind: 'assigned'; refs: readonly DcpRef[] } | { kind: 'exhausted' };

/**
 * Numbers for the units that have none, in the order of the transcript. A unit keeps its number for good; a number is
 * never given twice, whatever became of its unit.
 * isSubAgent   its first prompt is the task it was given: never numbered
 * returns      `exhausted` when not all of them fit; then nothing is assigned
 */
export function assignRefs(
  state: Pick<DcpState, 'refs' | 'nextRef'>,
  units: readonly DcpUnit[],
  options: { isSubAgent?: boolean; mostRefs?: number } = {},
): AssignedRefs {
  const task = options.isSubAgent ? units.find((unit) => unit.kind === 'person') : undefined;
  const fresh = units.filter((unit) => unit.isNumbered && unit !== task && !state.refs.has(unit.id));
  if (state.nextRef + fresh.length - 1 > (options.mostRefs ?? mostRefs)) return { kind: 'exhausted' };
  return {
    kind: 'assigned',
    refs: fresh.map((unit, index) => ({ unitId: unit.id, number: state.nextRef + index })),
  };
}

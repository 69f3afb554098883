import type { DcpUnitId } from '@palimpsest/core';
import { compressGround, type GroundInput } from '../compress/ground.ts';
import { protectedTail } from '../compress/protected-tail.ts';
import { groupUnits } from '../refs/group-units.ts';

/** How much of the newest conversation stays whatever happens: as configured, little, next to nothing. */
export const strictnesses = ['configured', 'little', 'least'] as const;
export type Strictness = (typeof strictnesses)[number];

/**
 * Units that the service itself never puts under a block: those that the model may not compress either; where that leaves
 * too little room only the newest message of the person and the newest two units, then the newest one.
 */
export function keptUnits(input: GroundInput, strictness: Strictness): ReadonlySet<DcpUnitId> {
  if (strictness === 'configured') return protectedUnits(input);
  const units = groupUnits(input.view.rows);
  const newest = units.findLast((unit) => unit.rows[0]?.kind === 'person');
  const last = units.slice(strictness === 'little' ? -2 : -1);
  return new Set([...(newest ? [newest.id] : []), ...last.map((unit) => unit.id)]);
}

/** Units that compress refuses. */
export function protectedUnits(input: GroundInput): ReadonlySet<DcpUnitId> {
  const ground = compressGround(input);
  return new Set([...protectedTail(ground)].map((position) => ground.units[position]!.id));
}

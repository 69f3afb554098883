import { createHash } from 'node:crypto';

/** The same for all attempts of a turn, so that two processes change one draft; never 0. */
export function draftIdOf(turnId: string): number {
  return (createHash('sha256').update(turnId).digest().readUInt32BE() >>> 1) + 1;
}

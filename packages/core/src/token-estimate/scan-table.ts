import { characterClasses } from './character-classes.ts';
import { costOf } from './scan-costs.ts';
import { nextState, runsOfKind, type ScanState, type StateKind } from './scan-states.ts';

/** Bits of a character class in an edge number. */
const classBits = 5;

/** An edge is `state << 5 | class`; what a scan looks up at each character. */
export interface ScanTable {
  /** The state behind an edge, already shifted: `next[edge] | class` is the next edge. */
  next: Uint16Array;
  /** Tokens of an edge. */
  tokens: Float64Array;
}

/** Rules of the scan as two flat tables. State 0 is the start of a text. */
export function makeScanTable(): ScanTable {
  const states = allStates();
  const numbers = new Map(states.map((state, number) => [nameOf(state), number]));
  const next = new Uint16Array(states.length << classBits);
  const tokens = new Float64Array(next.length);
  states.forEach((state, number) =>
    characterClasses.forEach((character, index) => {
      const edge = (number << classBits) | index;
      next[edge] = (numbers.get(nameOf(nextState(state, character))) ?? 0) << classBits;
      tokens[edge] = costOf(state, character);
    }),
  );
  return { next, tokens };
}

function allStates(): ScanState[] {
  return (Object.keys(runsOfKind) as StateKind[]).flatMap((kind) =>
    Array.from({ length: runsOfKind[kind] }, (_, index) => ({ kind, run: index + 1 })),
  );
}

function nameOf({ kind, run }: ScanState): string {
  return `${kind} ${run}`;
}

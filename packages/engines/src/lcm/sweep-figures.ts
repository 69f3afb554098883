import type { SweepFigures } from '@palimpsest/core';
import type { Workbench } from './workbench.ts';

/** What a sweep did to the graph, for the ledger. */
export function sweepFigures(
  { made, stop }: Pick<Workbench, 'made' | 'stop'>,
  why: Pick<SweepFigures, 'cacheState' | 'decision' | 'debtAgeSeconds'>,
): SweepFigures {
  const leaves = made.filter(({ kind }) => kind === 'leaf').length;
  return {
    passes: made.length,
    leaves,
    condensed: made.length - leaves,
    deepestDepth: made.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
    stoppedBy: wordOf(stop),
    ...why,
  };
}

function wordOf(stop: Workbench['stop']): SweepFigures['stoppedBy'] {
  if (stop === null) return 'none';
  if (stop.kind === 'stop') return stop.reason;
  return stop.bound === 'passes' ? 'pass_cap' : stop.bound;
}

import { condensedPass } from './condensed-pass.ts';
import { sweepLeaves } from './sweep.ts';
import type { Workbench } from './workbench.ts';

/** Work that waited for the cache: some leaves, then a level of summaries after the other, as deep as is allowed. */
export async function incrementalWork(
  bench: Workbench,
  wish: { passes: number; condense: boolean; isUrgent: boolean },
): Promise<void> {
  await sweepLeaves(bench, { isUrgent: wish.isUrgent, from: 0 }, wish.passes);
  const { incremental_max_depth } = bench.ground.config.context.lcm;
  if (!wish.condense || incremental_max_depth === 0) return;
  for (;;) {
    const end = await condensedPass(bench, { isPressed: false, maxDepth: incremental_max_depth });
    if (end.kind !== 'done') return;
  }
}

import { condensedPass } from './condensed-pass.ts';
import { leafPass, type LeafPassWish } from './leaf-pass.ts';
import type { Workbench } from './workbench.ts';

export interface SweepWish {
  /** Asked for, or recovery: the threshold and the least number of messages do not hold. */
  isForced: boolean;
  /** Made ahead of the threshold: there is time, so the least number of messages holds. */
  isAhead: boolean;
  /** Go on past the depth limit until the prompt is below this. */
  stopAtTokens: number | null;
  /** False: leaves only. */
  condense: boolean;
}

/**
 * Everything one break of the prompt cache is worth:
 *
 *   1 leaves until no chunk outside the tail is left
 *   2 condense while the summaries take more room than they should, up to the depth limit
 *   3 under pressure the same with the least fan-out and without the limit
 *
 * Ends early at a bound, on a stop, or where a pass would save nothing; what was made until then stands.
 */
export async function fullSweep(bench: Workbench, wish: SweepWish): Promise<void> {
  const { sizes } = bench.ground;
  if (!wish.isForced && !wish.isAhead && bench.promptTokens <= sizes.triggerTokens) return;
  await sweepLeaves(bench, { isUrgent: wish.isForced || !wish.isAhead, from: 0 });
  const { incremental_max_depth } = bench.ground.config.context.lcm;
  if (!wish.condense) return;
  if (incremental_max_depth !== 0)
    await condenseWhile(bench, isPrefixTooLong, { isPressed: false, maxDepth: incremental_max_depth });
  await condenseWhile(bench, (at) => isPrefixTooLong(at) || isAbove(at, wish.stopAtTokens), {
    isPressed: true,
    maxDepth: -1,
  });
}

/** Leaves until no chunk is left; `most` bounds incremental work. */
export async function sweepLeaves(bench: Workbench, wish: LeafPassWish, most = Infinity): Promise<void> {
  let from = wish.from;
  for (let done = 0; done < most;) {
    const end = await leafPass(bench, { ...wish, from });
    if (end.kind === 'none') return;
    if (end.kind === 'skipped') from = end.from;
    else done += 1;
    await rest(bench);
  }
}

async function condenseWhile(
  bench: Workbench,
  isNeeded: (bench: Workbench) => boolean,
  wish: { isPressed: boolean; maxDepth: number },
): Promise<void> {
  while (isNeeded(bench)) {
    if ((await condensedPass(bench, wish)).kind !== 'done') return;
    await rest(bench);
  }
}

/** Other sessions of this process get their turn. */
function rest({ ground }: Workbench): Promise<void> {
  return ground.clock.sleep(0);
}

function isPrefixTooLong(bench: Workbench): boolean {
  return bench.summaryTokens > bench.ground.sizes.prefixTokens;
}

function isAbove(bench: Workbench, tokens: number | null): boolean {
  return tokens !== null && bench.promptTokens > tokens;
}

import { fullSweep } from './sweep.ts';
import type { Workbench } from './workbench.ts';

const mostRounds = 10;

/**
 * Recovery from a prompt that was refused: forced sweeps until it is below the target. At least one runs, and a prompt just
 * at the target is not below it. Ends where a round makes no progress; the whole has one deadline.
 */
export async function compactUntilUnder(bench: Workbench, targetTokens: number): Promise<void> {
  const { clock, config } = bench.ground;
  const { compact_until_under_deadline_ms, sweep_deadline_ms } = config.context.lcm;
  const endAt = clock.now().getTime() + compact_until_under_deadline_ms;
  for (let round = 0; round < mostRounds; round++) {
    const before = bench.promptTokens;
    bench.passes = 0;
    bench.deadlineAt = Math.min(endAt, clock.now().getTime() + sweep_deadline_ms);
    await fullSweep(bench, { isForced: true, isAhead: false, stopAtTokens: targetTokens, condense: true });
    const isBounded = bench.stop?.kind === 'bound' && bench.stop.bound !== 'aborted';
    const isOver = clock.now().getTime() >= endAt;
    if (bench.promptTokens < targetTokens || bench.promptTokens >= before || isOver) return;
    if (bench.stop !== null && !isBounded) return;
    bench.stop = null;
  }
}

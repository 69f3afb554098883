import type { CompactionPlan, NoPlan } from '@palimpsest/core';
import { noPlan } from './build-plan.ts';
import type { DeskStop } from './summary-desk.ts';
import type { Workbench } from './workbench.ts';

/** Rest after an attempt above the threshold that found nothing to do. */
const structuralBackoffMs = 300_000;

/** A plan that goes on without its model says so: the model rests. */
export function endWithPlan(plan: CompactionPlan, failed: DeskStop | null): CompactionPlan {
  if (!failed) return plan;
  const { reason, cooldownMs } = failed;
  if (cooldownMs === null) return { ...plan, reason };
  return { ...plan, outcome: 'deterministic', reason, cooldownMs, summaryModel: failed.model };
}

/** Nothing was changed: the reason, and the least rest before the next attempt. */
export function endWithoutPlan(bench: Workbench, failed: DeskStop | null): NoPlan {
  const summaryCalls = bench.cost.calls;
  return { ...reasonOf(bench, failed), summaryCalls, summaryModel: failed?.model ?? null };
}

function reasonOf(bench: Workbench, failed: DeskStop | null): NoPlan {
  const { request, sizes } = bench.ground;
  if (bench.ground.signal.aborted || failed?.reason === 'user_cancelled')
    return noPlan('aborted', 'user_cancelled', 'stopped before anything was written');
  if (failed?.reason === 'breaker_open' || failed?.reason === 'spend_limit')
    return noPlan('skipped', failed.reason, failed.message);
  if (failed)
    return { ...noPlan('failed', failed.reason, failed.message), cooldownMs: failed.cooldownMs ?? 0 };
  if (bench.stop?.kind === 'bound')
    return noPlan(
      'ineffective',
      'none',
      `the sweep ended at its bound (${bench.stop.bound}) and saved nothing`,
    );
  const nothing = noPlan('noop', 'protected_only', 'everything outside the newest messages is summarised');
  const isOver = request.promptTokens > sizes.triggerTokens;
  return isOver && !request.force ? { ...nothing, cooldownMs: structuralBackoffMs } : nothing;
}

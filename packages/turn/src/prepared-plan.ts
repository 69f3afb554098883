import type { CompactionPlan, PlanDrop } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { compactionConfigHash } from './config-hash.ts';

/** The plan made ahead for this session that can be applied now; those that no longer can are counted. */
export async function findPlan(claimed: ClaimedSession): Promise<CompactionPlan | null> {
  const { deps, session, engine } = claimed;
  const { compactions } = deps.store;
  const { plan, dropped } = await compactions.findPrepared(
    session.id,
    engine.name,
    compactionConfigHash(deps),
  );
  for (const why of dropped) countDroppedPlan(claimed, why);
  return plan?.plan ?? null;
}

/** A summary was paid for and never used. */
export function countDroppedPlan({ deps, session }: ClaimedSession, why: PlanDrop): void {
  deps.meter.count('gateway_compaction_prepared_dropped_total', { why });
  deps.logger.info({ sessionId: session.id, why }, 'a plan made ahead was dropped');
}

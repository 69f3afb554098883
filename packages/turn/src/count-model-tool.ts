import type { RoundCompaction } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { countEnded } from './count-ended.ts';

const place = { layer: 'model_tool', trigger: 'model_tool' } as const;

/**
 * Measure what the model condensed itself. It was stored with the model's round, so the newest rows of the ledger are
 * theirs. `startedAt`: when the round began to be stored, ms of the clock.
 */
export async function countModelTool(
  claimed: ClaimedSession,
  compactions: readonly RoundCompaction[],
  startedAt: number,
): Promise<void> {
  const { store, clock } = claimed.deps;
  const seconds = (clock.now().getTime() - startedAt) / 1000;
  const rows = await store.compactions.ledger({
    sessionId: claimed.session.id,
    limit: compactions.length,
  });
  for (const [index, { plan }] of compactions.entries()) {
    const { outcome, reason } = plan;
    const compactionId = rows.at(-1 - index)?.id;
    if (compactionId === undefined) continue;
    await countEnded(claimed, place, { outcome, reason, compactionId, applied: plan, seconds });
  }
}

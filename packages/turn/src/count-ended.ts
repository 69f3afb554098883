import type { CompactionPlan, Outcome, Reason } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { countEconomy } from './count-economy.ts';
import { countFigures } from './count-figures.ts';
import { logAttempt } from './log-attempt.ts';
import { countAttempt, type CompactionPlace } from './declined.ts';

/** The end of an attempt that the ledger holds, whoever made it: an engine, the model by its tool, or the provider. */
export interface EndedCompaction {
  outcome: Outcome;
  reason: Reason;
  compactionId: number;
  /** Null where nothing was changed. */
  applied: Pick<CompactionPlan, 'figures' | 'reason' | 'summaryModel'> | null;
  /** As the ledger has it, where it is not the session's. */
  engine?: string;
  /** Null where nobody saw it begin. */
  seconds: number | null;
}

/**
 * Log how an attempt ended, and measure it: one more, its time, what it changed, what it cost and what the one before it
 * saved.
 */
export async function countEnded(
  claimed: ClaimedSession,
  place: CompactionPlace,
  ended: EndedCompaction,
): Promise<void> {
  const { meter } = claimed.deps;
  const { layer } = place;
  const { outcome, reason, compactionId, applied, seconds } = ended;
  logAttempt(claimed, place, { ...ended, figures: applied?.figures });
  countAttempt(claimed, place, { outcome, reason });
  if (seconds !== null) meter.observe('gateway_compaction_duration_seconds', seconds, { layer, outcome });
  if (!applied) return;
  countFigures(meter, layer, applied);
  await countEconomy(claimed, { layer, compactionId, figures: applied.figures });
}

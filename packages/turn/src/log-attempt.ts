import type { CompactionFigures, OpenedCompaction, Outcome, Reason } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';

export interface LoggedAttempt {
  outcome: Outcome;
  reason: Reason;
  compactionId: number;
  /** As the ledger has it; left out: the session's. */
  engine?: string;
  /** Null, or left out: nobody saw it begin. */
  seconds?: number | null;
  /** Left out: nothing was changed. */
  figures?: CompactionFigures | undefined;
}

/** The ledger's row in one line, without anything that was said. */
export function logAttempt(
  { deps, session, engine }: ClaimedSession,
  { layer, trigger }: Pick<OpenedCompaction, 'layer' | 'trigger'>,
  { outcome, reason, compactionId, engine: name = engine.name, seconds = null, figures }: LoggedAttempt,
): void {
  const fields = { sessionId: session.id, compactionId, engine: name, layer, trigger, outcome, reason };
  const took = seconds === null ? {} : { durationMs: Math.round(seconds * 1000) };
  deps.logger.info({ ...fields, ...took, ...figures }, 'compaction');
}

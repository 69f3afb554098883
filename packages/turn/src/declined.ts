import type { ErasedCounts, Layer, NoPlan, Outcome, Reason, Trigger } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { ledgerHead } from './ledger-head.ts';
import { logAttempt } from './log-attempt.ts';

/** Which layer an attempt belongs to, and what set it off. */
export interface CompactionPlace {
  layer: Layer;
  trigger: Trigger;
}

const messages: Partial<Record<Reason, string>> = {
  cooldown: 'a rest after a failure, or after nothing could be taken out, is not over',
  breaker_open: 'two compactions in a row did not help; one more is tried five minutes after the last',
  spend_limit: 'the summary calls of this session are used up for now',
  too_often: 'the session was condensed as often as compression.max_per_hour allows',
};

/** The trigger was passed and nothing was tried: one ledger row a claim and reason, so that a rest can be seen later. */
export async function noteDeclined(
  claimed: ClaimedSession,
  reason: Reason,
  where: CompactionPlace,
): Promise<void> {
  if (claimed.declined.has(reason)) return;
  claimed.declined.add(reason);
  await noteAttempt(claimed, where, {
    kind: 'none',
    outcome: 'skipped',
    reason,
    summaryModel: null,
    summaryCalls: 0,
    message: messages[reason] ?? reason,
  });
  countAttempt(claimed, where, { outcome: 'skipped', reason });
}

/** An attempt that held no lease and left the history as it was: its ledger row, opened and closed, and its line in the log. */
export async function noteAttempt(
  claimed: ClaimedSession,
  where: CompactionPlace,
  ended: NoPlan,
): Promise<void> {
  const { store } = claimed.deps;
  const compactionId = await store.compactions.open(ledgerHead(claimed, where));
  await store.compactions.closeWithout(compactionId, ended, null);
  logAttempt(claimed, where, { outcome: ended.outcome, reason: ended.reason, compactionId });
}

/** Every attempt is counted, also one that the ledger does not hold. */
export function countAttempt(
  { deps }: ClaimedSession,
  { layer, trigger }: CompactionPlace,
  { outcome, reason }: { outcome: Outcome; reason: Reason },
): void {
  deps.meter.count('gateway_compaction_attempts_total', { layer, trigger, outcome, reason });
}

/** Compactions over what was erased stand no more; the erasure wrote a ledger row about that for each session. */
export function countErased(claimed: ClaimedSession, { undone }: Pick<ErasedCounts, 'undone'>): void {
  for (let row = 0; row < undone; row += 1)
    countAttempt(claimed, { layer: 'manual', trigger: 'undo' }, { outcome: 'success', reason: 'none' });
}

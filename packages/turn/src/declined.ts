import type { Layer, NoPlan, Reason, Trigger } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { ledgerHead } from './ledger-head.ts';

const messages: Partial<Record<Reason, string>> = {
  cooldown: 'a rest after a failure, or after nothing could be taken out, is not over',
  breaker_open: 'two compactions in a row did not help; one more is tried five minutes after the last',
  too_often: 'the session was condensed as often as compression.max_per_hour allows',
};

/** The trigger was passed and nothing was tried: one ledger row a claim and reason (decision 14). */
export async function noteDeclined(
  claimed: ClaimedSession,
  reason: Reason,
  where: { layer: Layer; trigger: Trigger },
): Promise<void> {
  if (claimed.declined.has(reason)) return;
  claimed.declined.add(reason);
  const { compactions } = claimed.deps.store;
  const result: NoPlan = {
    kind: 'none',
    outcome: 'skipped',
    reason,
    summaryModel: null,
    summaryCalls: 0,
    message: messages[reason] ?? reason,
  };
  const id = await compactions.open(ledgerHead(claimed, where));
  await compactions.closeWithout(id, result, null);
  claimed.deps.meter.count('gateway_compaction_attempts_total', { ...where, outcome: 'skipped', reason });
}

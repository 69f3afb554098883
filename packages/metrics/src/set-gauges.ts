import type { GaugeFigures, LcmProblem } from '@palimpsest/core';
import type { PrometheusMeter } from './create-meter.ts';

/** Gauges that one process of all reports. */
export const exportedNames = [
  'gateway_mailbox_pending_messages',
  'gateway_mailbox_oldest_pending_age_seconds',
  'gateway_delivery_pending',
  'gateway_delivery_oldest_pending_age_seconds',
  'gateway_delivery_unknown',
  'gateway_dead_letters',
  'gateway_turns_running',
  'gateway_sessions',
  'gateway_operator_acts',
  'gateway_context_sessions_over_threshold',
  'gateway_compaction_breaker_open_sessions',
  'gateway_lcm_debt_sessions',
  'gateway_lcm_debt_oldest_age_seconds',
  'gateway_lcm_breaker_open',
  'gateway_lcm_spend_backoff_sessions',
  'gateway_lcm_invariant_violations',
] as const;

/** Broken rules that the doctor of the lossless engine knows. */
const invariants = [
  'message_not_covered',
  'message_covered_twice',
  'item_out_of_order',
  'leaf_shape',
  'condensed_shape',
  'edge_order',
  'time_range',
  'counts',
  'file_ids',
  'orphan_debt',
] as const satisfies readonly LcmProblem['check'][];

/** Debts and breakers that are gone leave no old value behind. */
export function setGauges(meter: PrometheusMeter, figures: GaugeFigures): void {
  setWaiting(meter, figures);
  meter.set('gateway_delivery_unknown', figures.deliveryUnknown);
  for (const [kind, value] of Object.entries(figures.dead))
    meter.set('gateway_dead_letters', value, { kind });
  meter.set('gateway_turns_running', figures.turnsRunning);
  meter.set('gateway_sessions', figures.sessions);
  for (const { act, via, times } of figures.acts) meter.set('gateway_operator_acts', times, { act, via });
  for (const [layer, value] of Object.entries(figures.overThreshold))
    meter.set('gateway_context_sessions_over_threshold', value, { layer });
  for (const [layer, value] of Object.entries(figures.resting))
    meter.set('gateway_compaction_breaker_open_sessions', value, { layer });
  setLcm(meter, figures);
}

function setWaiting(meter: PrometheusMeter, { mailbox, delivery }: GaugeFigures): void {
  for (const { platform, pending, oldestSeconds } of mailbox) {
    meter.set('gateway_mailbox_pending_messages', pending, { platform });
    meter.set('gateway_mailbox_oldest_pending_age_seconds', oldestSeconds, { platform });
  }
  for (const { platform, pending, oldestSeconds } of delivery) {
    meter.set('gateway_delivery_pending', pending, { platform });
    meter.set('gateway_delivery_oldest_pending_age_seconds', oldestSeconds, { platform });
  }
}

function setLcm(meter: PrometheusMeter, figures: GaugeFigures): void {
  meter.clear('gateway_lcm_debt_sessions');
  meter.clear('gateway_lcm_debt_oldest_age_seconds');
  for (const { reason, sessions, oldestSeconds } of figures.lcmDebts) {
    meter.set('gateway_lcm_debt_sessions', sessions, { reason });
    meter.set('gateway_lcm_debt_oldest_age_seconds', oldestSeconds, { reason });
  }
  meter.clear('gateway_lcm_breaker_open');
  for (const { provider, model, isOpen } of figures.lcmBreakers)
    meter.set('gateway_lcm_breaker_open', isOpen ? 1 : 0, { provider: provider || 'unknown', model });
  meter.set('gateway_lcm_spend_backoff_sessions', figures.lcmSpendBackoffs);
}

/** Every rule is reported, also with 0: an alert needs a series to look at. */
export function setViolations(meter: PrometheusMeter, problems: readonly LcmProblem[]): void {
  for (const invariant of invariants) {
    const broken = problems.filter(({ check, severity }) => check === invariant && severity === 'broken');
    meter.set('gateway_lcm_invariant_violations', broken.length, { invariant });
  }
}

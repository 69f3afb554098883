import type { Clock, LeaseStore, Logger, OperatorStore } from '@palimpsest/core';
import type { PrometheusMeter } from './create-meter.ts';

/** One process reports the figures of the database, else every process would report the same gauge. */
const leaseName = 'exporter';
const leaseMs = 45_000;
const everyMs = 15_000;

const exportedNames = [
  'gateway_mailbox_pending_messages',
  'gateway_mailbox_oldest_pending_age_seconds',
  'gateway_delivery_pending',
  'gateway_delivery_unknown',
  'gateway_dead_letters',
  'gateway_turns_running',
  'gateway_sessions',
] as const;

export interface ExporterDeps {
  operators: Pick<OperatorStore, 'figures'>;
  leases: Pick<LeaseStore, 'acquire'>;
  /** Name of this process in lease rows. */
  owner: string;
}

/**
 * Set the gauges that come from SQL, if this process holds the exporter's lease; else forget those set before.
 * returns whether this process reports them; throws what the store throws (the gauges are then forgotten too)
 */
export async function exportFigures(meter: PrometheusMeter, deps: ExporterDeps): Promise<boolean> {
  try {
    if (await deps.leases.acquire(leaseName, deps.owner, leaseMs)) {
      setGauges(meter, await deps.operators.figures());
      return true;
    }
  } catch (thrown) {
    // Old figures during an outage would look like health.
    forget(meter);
    throw thrown;
  }
  forget(meter);
  return false;
}

/** Keep exporting until the signal fires; a database that is away is logged and tried again. */
export async function keepExporting(
  meter: PrometheusMeter,
  deps: ExporterDeps & { clock: Clock; logger: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await exportFigures(meter, deps);
    } catch (thrown) {
      const problem = thrown instanceof Error ? thrown.message : String(thrown);
      deps.logger.warn({ problem }, 'figures of the database not exported; trying again');
    }
    await deps.clock.sleep(everyMs, signal);
  }
}

function setGauges(meter: PrometheusMeter, figures: Awaited<ReturnType<OperatorStore['figures']>>): void {
  meter.set('gateway_mailbox_pending_messages', figures.mailboxPending);
  meter.set('gateway_mailbox_oldest_pending_age_seconds', figures.oldestPendingSeconds);
  meter.set('gateway_delivery_pending', figures.outboxPending);
  meter.set('gateway_delivery_unknown', figures.outboxUnknown);
  meter.set('gateway_dead_letters', figures.outboxDead, { kind: 'outbox' });
  meter.set('gateway_turns_running', figures.turnsRunning);
  meter.set('gateway_sessions', figures.sessions);
}

function forget(meter: PrometheusMeter): void {
  for (const name of exportedNames) meter.clear(name);
}

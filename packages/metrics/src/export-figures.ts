import type { Clock, GaugeFigures, LcmStore, LeaseStore, Logger, OperatorStore } from '@palimpsest/core';
import type { PrometheusMeter } from './create-meter.ts';
import { exportedNames, setGauges, setViolations } from './set-gauges.ts';

/** One process reports the figures of the database, else every process would report the same gauge. */
const leaseName = 'exporter';
const leaseMs = 45_000;
const everyMs = 15_000;
/** The graphs of sessions are looked through at most this often. */
const doctorEveryMs = 600_000;

export interface ExporterDeps {
  operators: Pick<OperatorStore, 'gauges'>;
  leases: Pick<LeaseStore, 'acquire'>;
  /** Name of this process in lease rows. */
  owner: string;
}

/**
 * Set the gauges that come from SQL, if this process holds the exporter's lease; else forget those set before.
 * returns the figures that were reported, null when another process reports them;
 * throws what the store throws (the gauges are then forgotten too)
 */
export async function exportFigures(
  meter: PrometheusMeter,
  deps: ExporterDeps,
): Promise<GaugeFigures | null> {
  try {
    if (await deps.leases.acquire(leaseName, deps.owner, leaseMs)) {
      const figures = await deps.operators.gauges();
      setGauges(meter, figures);
      return figures;
    }
  } catch (thrown) {
    // Old figures during an outage would look like health.
    forget(meter);
    throw thrown;
  }
  forget(meter);
  return null;
}

/** Look through the graphs of these sessions, and report how often each rule is broken. */
export async function exportViolations(
  meter: PrometheusMeter,
  lcm: Pick<LcmStore, 'doctor'>,
  sessionIds: readonly string[],
): Promise<void> {
  const problems = [];
  for (const id of sessionIds) problems.push(...(await lcm.doctor(id)));
  setViolations(meter, problems);
}

export interface KeptExporterDeps extends ExporterDeps {
  leases: Pick<LeaseStore, 'acquire' | 'release'>;
  lcm: Pick<LcmStore, 'doctor'>;
  clock: Clock;
  logger: Logger;
}

/** Keep exporting until the signal fires, then leave it to another; a database that is away is logged and tried again. */
export async function keepExporting(
  meter: PrometheusMeter,
  deps: KeptExporterDeps,
  signal: AbortSignal,
): Promise<void> {
  let nextDoctorAt = 0;
  while (!signal.aborted) {
    try {
      const figures = await exportFigures(meter, deps);
      const now = deps.clock.now().getTime();
      // What was forgotten is looked for anew once it is ours again.
      if (figures === null) nextDoctorAt = 0;
      else if (now >= nextDoctorAt) {
        await exportViolations(meter, deps.lcm, figures.lcmSessions);
        nextDoctorAt = now + doctorEveryMs;
      }
    } catch (thrown) {
      nextDoctorAt = 0;
      const problem = thrown instanceof Error ? thrown.message : String(thrown);
      deps.logger.warn({ problem }, 'figures of the database not exported; trying again');
    }
    await deps.clock.sleep(everyMs, signal);
  }
  await deps.leases.release(leaseName, deps.owner).catch(() => {});
}

function forget(meter: PrometheusMeter): void {
  for (const name of exportedNames) meter.clear(name);
}

import type { Logger, Tracer } from '@palimpsest/core';
import type { PrometheusMeter } from '@palimpsest/metrics';
import type { Settings } from './settings.ts';
import type { Shutdown } from './shutdown.ts';
import { ownerName } from './start-parts.ts';

/** Traces and metrics to an OTLP collector where the environment names one; else nothing of OpenTelemetry is loaded. */
export async function startTelemetry(
  { telemetry }: Pick<Settings, 'telemetry'>,
  { meter, logger, shutdown }: { meter: PrometheusMeter; logger: Logger; shutdown: Shutdown },
): Promise<Tracer | undefined> {
  if (telemetry === null) return undefined;
  const { openTelemetry } = await import('@palimpsest/metrics/telemetry');
  const opened = openTelemetry(telemetry, { meter, logger, instance: ownerName() });
  // Ended last: what the others do while they end is sent too.
  shutdown.add('telemetry', () => opened.close());
  return opened.tracer;
}

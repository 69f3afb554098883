import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { silentTracer, type Logger, type Tracer } from '@palimpsest/core';
import type { PrometheusMeter } from '../create-meter.ts';
import { otelTracer } from './otel-tracer.ts';
import type { OtlpTarget, Sampling, TelemetrySettings } from './read-telemetry.ts';
import { RegistryProducer } from './registry-producer.ts';

/** A collector that is away fails every few seconds; that is said this often. */
const repeatLogMs = 60_000;
/** The last batch at shutdown; a collector that is away must not hold it up. */
const lastBatchMs = 2_000;

export interface Telemetry {
  tracer: Tracer;
  /** Send what is left, and end. */
  close(): Promise<void>;
}

/** Send spans, and the figures of `meter`, where the settings say. Nothing global is set but where OpenTelemetry complains. */
export function openTelemetry(
  settings: TelemetrySettings,
  { meter, logger, instance }: { meter: Pick<PrometheusMeter, 'measured'>; logger: Logger; instance: string },
): Telemetry {
  complainTo(logger);
  const resource = resourceFromAttributes({
    ...settings.resource,
    'service.name': settings.serviceName,
    'service.instance.id': instance,
  });
  const spans = settings.traces ? tracesTo(settings.traces, resource) : null;
  const figures = settings.metrics ? metricsTo(settings.metrics, resource, meter) : null;
  return {
    tracer: spans ? otelTracer(spans.getTracer('palimpsest')) : silentTracer,
    async close() {
      const ends = Promise.allSettled([spans?.shutdown(), figures?.shutdown()]);
      await Promise.race([ends, new Promise((resolve) => setTimeout(resolve, lastBatchMs).unref())]);
    },
  };
}

function tracesTo(target: NonNullable<TelemetrySettings['traces']>, resource: Resource): TracerProvider {
  const exporter = new (target.asJson ? JsonTraces : ProtobufTraces)(exporterOptions(target));
  return new TracerProvider({
    resource,
    sampler: samplerOf(target.sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: target.batchMs })],
  });
}

function metricsTo(
  target: NonNullable<TelemetrySettings['metrics']>,
  resource: Resource,
  meter: Pick<PrometheusMeter, 'measured'>,
): MeterProvider {
  const exporter = new (target.asJson ? JsonMetrics : ProtobufMetrics)(exporterOptions(target));
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: target.everyMs,
    exportTimeoutMillis: Math.min(target.timeoutMs, target.everyMs),
    metricProducers: [new RegistryProducer(() => meter.measured())],
  });
  return new MeterProvider({ resource, readers: [reader] });
}

function exporterOptions({ url, headers, timeoutMs, gzip }: OtlpTarget) {
  // The library has an enum for it, whose values are these words.
  const compression = (gzip ? 'gzip' : 'none') as never;
  return { url, headers: { ...headers }, timeoutMillis: timeoutMs, compression };
}

function samplerOf({ share, followsParent }: Sampling): Sampler {
  const root = ofNewTrees(share);
  return followsParent ? new ParentBasedSampler({ root }) : root;
}

function ofNewTrees(share: number): Sampler {
  if (share >= 1) return new AlwaysOnSampler();
  return share <= 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(share);
}

/** Its own words may hold the address with what is secret in it, so only that there were some is said. */
function complainTo(logger: Logger): void {
  let saidAt = -Infinity;
  const say = (): void => {
    const now = performance.now();
    if (now - saidAt < repeatLogMs) return;
    saidAt = now;
    logger.warn({}, 'traces or metrics could not be sent; look whether the OTLP collector answers');
  };
  const quiet = (): void => {};
  diag.setLogger(
    { error: say, warn: quiet, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
}

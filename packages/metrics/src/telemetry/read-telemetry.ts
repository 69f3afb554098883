import { GatewayError } from '@palimpsest/core';

/** Where one signal goes, over HTTP. */
export interface OtlpTarget {
  url: string;
  /** JSON, else protocol buffers. */
  asJson: boolean;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  gzip: boolean;
}

/** What OpenTelemetry's own variables ask for. */
export interface TelemetrySettings {
  /** null: no traces leave. */
  traces: (OtlpTarget & { sampler: Sampling; batchMs: number }) | null;
  /** null: metrics are read at /metrics only. */
  metrics: (OtlpTarget & { everyMs: number }) | null;
  serviceName: string;
  resource: Readonly<Record<string, string>>;
}

/** `share` of new trees that are kept, 0..1; `followsParent`: a tree that was begun elsewhere is kept as it was decided there. */
export interface Sampling {
  share: number;
  followsParent: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;
type Signal = 'TRACES' | 'METRICS';

/**
 * Telemetry as the standard variables ask for it (OTEL_EXPORTER_OTLP_ENDPOINT and the rest), null when none does.
 * throws config_invalid naming the variable, what was seen and what is allowed; headers are never shown
 */
export function readTelemetry(variables: Variables): TelemetrySettings | null {
  if (wordOf(variables, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null;
  const traces = targetOf(variables, 'TRACES');
  const metrics = targetOf(variables, 'METRICS');
  if (traces === null && metrics === null) return null;
  const { 'service.name': named, ...resource } = pairsOf(variables, 'OTEL_RESOURCE_ATTRIBUTES');
  return {
    traces: traces && {
      ...traces,
      sampler: samplingOf(variables),
      batchMs: numberOf(variables, 'OTEL_BSP_SCHEDULE_DELAY', 5_000),
    },
    metrics: metrics && { ...metrics, everyMs: numberOf(variables, 'OTEL_METRIC_EXPORT_INTERVAL', 60_000) },
    serviceName: wordOf(variables, 'OTEL_SERVICE_NAME') ?? named ?? 'palimpsest',
    resource,
  };
}

function targetOf(variables: Variables, signal: Signal): OtlpTarget | null {
  const exporter = wordOf(variables, `OTEL_${signal}_EXPORTER`) ?? 'otlp';
  if (exporter === 'none') return null;
  if (exporter !== 'otlp') throw wrong(`OTEL_${signal}_EXPORTER`, exporter, 'otlp or none');
  const url = urlOf(variables, signal);
  if (url === null) return null;
  const protocolName = either(variables, signal, 'PROTOCOL');
  const protocol = wordOf(variables, protocolName) ?? 'http/protobuf';
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    throw wrong(
      protocolName,
      protocol,
      'http/protobuf or http/json; name the HTTP port of the collector, as a rule 4318',
    );
  const compressionName = either(variables, signal, 'COMPRESSION');
  const compression = wordOf(variables, compressionName) ?? 'none';
  if (compression !== 'gzip' && compression !== 'none')
    throw wrong(compressionName, compression, 'gzip or none');
  return {
    url,
    asJson: protocol === 'http/json',
    headers: pairsOf(variables, either(variables, signal, 'HEADERS')),
    timeoutMs: numberOf(variables, either(variables, signal, 'TIMEOUT'), 10_000),
    gzip: compression === 'gzip',
  };
}

/** A signal's own address is taken as it stands; the common one is the root of both. */
function urlOf(variables: Variables, signal: Signal): string | null {
  const name = either(variables, signal, 'ENDPOINT');
  const text = wordOf(variables, name);
  if (text === null) return null;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new GatewayError(
      'config_invalid',
      `${name} is not a URL that begins with http:// or https:// (${text.length} characters seen). Correct it or unset it.`,
    );
  return name.includes(signal) ? text : `${text.replace(/\/+$/, '')}/v1/${signal.toLowerCase()}`;
}

/** The variable of the signal where it is set, else the one of both. */
function either(variables: Variables, signal: Signal, what: string): string {
  const own = `OTEL_EXPORTER_OTLP_${signal}_${what}`;
  return wordOf(variables, own) === null ? `OTEL_EXPORTER_OTLP_${what}` : own;
}

const samplers: Readonly<Record<string, (argument: number) => Sampling>> = {
  always_on: () => ({ share: 1, followsParent: false }),
  always_off: () => ({ share: 0, followsParent: false }),
  traceidratio: (share) => ({ share, followsParent: false }),
  parentbased_always_on: () => ({ share: 1, followsParent: true }),
  parentbased_always_off: () => ({ share: 0, followsParent: true }),
  parentbased_traceidratio: (share) => ({ share, followsParent: true }),
};

function samplingOf(variables: Variables): Sampling {
  const name = wordOf(variables, 'OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const make = samplers[name];
  if (!make) throw wrong('OTEL_TRACES_SAMPLER', name, Object.keys(samplers).join(', '));
  const share = numberOf(variables, 'OTEL_TRACES_SAMPLER_ARG', 1);
  if (share > 1) throw wrong('OTEL_TRACES_SAMPLER_ARG', String(share), 'a share from 0 to 1');
  return make(share);
}

function numberOf(variables: Variables, name: string, otherwise: number): number {
  const text = wordOf(variables, name);
  if (text === null) return otherwise;
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw wrong(name, text, 'a number of at least 0');
  return value;
}

/** `key=value,key2=value2`, values in percent-encoding. */
function pairsOf(variables: Variables, name: string): Record<string, string> {
  const pairs = (wordOf(variables, name) ?? '').split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1)
        throw new GatewayError(
          'config_invalid',
          `${name} holds something that is no key=value pair; several are parted by commas. Correct it or unset it.`,
        );
      return [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())];
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function wordOf(variables: Variables, name: string): string | null {
  return variables[name]?.trim() || null;
}

function wrong(name: string, seen: string, allowed: string): GatewayError {
  return new GatewayError('config_invalid', `${name} is ${JSON.stringify(seen)}; allowed: ${allowed}.`);
}

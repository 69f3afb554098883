import { describe, expect, test } from 'vitest';
import { readTelemetry } from '@palimpsest/metrics';

describe('variables of OpenTelemetry', () => {
  test.each([
    ['nothing set', {}],
    ['switched off', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' }],
    [
      'no signal wanted',
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318',
        OTEL_TRACES_EXPORTER: 'none',
        OTEL_METRICS_EXPORTER: 'none',
      },
    ],
    ['blank', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
  ])('%s: no telemetry', (_name, variables) => {
    expect(readTelemetry(variables)).toBe(null);
  });

  test('one address is the root of both signals; what is not set has the standard value', () => {
    const read = readTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' });

    const target = { asJson: false, headers: {}, timeoutMs: 10_000, gzip: false };
    expect(read).toEqual({
      traces: {
        ...target,
        url: 'http://collector:4318/v1/traces',
        sampler: { share: 1, followsParent: true },
        batchMs: 5_000,
      },
      metrics: { ...target, url: 'http://collector:4318/v1/metrics', everyMs: 60_000 },
      serviceName: 'palimpsest',
      resource: {},
    });
  });

  test('what is set for one signal goes before what is set for both', () => {
    const read = readTelemetry({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://both:4318',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%3Db, x-team=birds',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=gate,deployment.environment.name=lab',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });

    expect(read?.traces).toMatchObject({
      url: 'https://traces.example/in',
      asJson: false,
      gzip: true,
      headers: { authorization: 'Bearer a=b', 'x-team': 'birds' },
      sampler: { share: 0.25, followsParent: false },
    });
    expect(read?.metrics).toMatchObject({ url: 'http://both:4318/v1/metrics', asJson: true });
    expect(read?.serviceName).toBe('gate');
    expect(read?.resource).toEqual({ 'deployment.environment.name': 'lab' });
  });

  test.each([
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT is not a URL that begins with http:// or https:// (14 characters seen). Correct it or unset it.',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; allowed: http/protobuf or http/json; name the HTTP port of the collector, as a rule 4318.',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_SAMPLER: 'sometimes' },
      'OTEL_TRACES_SAMPLER is "sometimes"; allowed: always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio.',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_HEADERS: 'secret-token' },
      'OTEL_EXPORTER_OTLP_HEADERS holds something that is no key=value pair; several are parted by commas. Correct it or unset it.',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_METRIC_EXPORT_INTERVAL: 'often' },
      'OTEL_METRIC_EXPORT_INTERVAL is "often"; allowed: a number of at least 0.',
    ],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER is "zipkin"; allowed: otlp or none.'],
  ])('%j is refused in words', (variables, words) => {
    expect(() => readTelemetry(variables)).toThrow(words);
  });
});

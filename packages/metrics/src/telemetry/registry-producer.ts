import { ValueType, type Attributes, type HrTime } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type CollectionResult,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MeasuredMetric, MeasuredValue } from '../create-meter.ts';

/**
 * What /metrics shows, as OpenTelemetry has it: the same names, labels and figures, read when they are sent, so that
 * nothing is counted twice.
 */
export class RegistryProducer implements MetricProducer {
  readonly #measured: () => Promise<readonly MeasuredMetric[]>;
  readonly #startedAt = timeOf(Date.now());

  constructor(measured: () => Promise<readonly MeasuredMetric[]>) {
    this.#measured = measured;
  }

  async collect(): Promise<CollectionResult> {
    const times = { startTime: this.#startedAt, endTime: timeOf(Date.now()) };
    const metrics = (await this.#measured()).map((metric) => dataOf(metric, times));
    return {
      resourceMetrics: {
        resource: emptyResource(),
        scopeMetrics: [{ scope: { name: 'palimpsest' }, metrics }],
      },
      errors: [],
    };
  }
}

interface Times {
  startTime: HrTime;
  endTime: HrTime;
}

function dataOf(metric: MeasuredMetric, times: Times): MetricData {
  const descriptor = { name: metric.name, description: metric.help, unit: '', valueType: ValueType.DOUBLE };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (metric.type === 'histogram')
    return {
      ...common,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: histograms(metric.values, times),
    };
  const dataPoints = metric.values.map(({ labels, value }) => ({
    ...times,
    attributes: plain(labels),
    value,
  }));
  if (metric.type === 'counter')
    return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  return { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Prometheus writes a line a bucket, each with all below it counted in; a data point has them side by side. */
function histograms(values: readonly MeasuredValue[], times: Times) {
  const series = Map.groupBy(values, ({ labels: { le: _le, ...labels } }) => JSON.stringify(labels));
  return [...series.values()].map((lines) => {
    const buckets = lines.filter(({ labels }) => labels['le'] !== undefined);
    const upTo = buckets.map(({ value }) => value);
    const ofName = (ending: string) =>
      lines.find(({ metricName }) => metricName?.endsWith(ending))?.value ?? 0;
    const { le: _le, ...labels } = lines[0]!.labels;
    return {
      ...times,
      attributes: plain(labels),
      value: {
        buckets: {
          boundaries: buckets
            .map(({ labels: { le } }) => Number(le))
            .filter((bound) => Number.isFinite(bound)),
          counts: upTo.map((count, index) => count - (upTo[index - 1] ?? 0)),
        },
        sum: ofName('_sum'),
        count: ofName('_count'),
      },
    };
  });
}

function plain(labels: MeasuredValue['labels']): Attributes {
  return { ...labels };
}

function timeOf(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.floor(ms % 1000) * 1_000_000];
}

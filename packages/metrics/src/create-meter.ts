import { GatewayError, type Meter } from '@palimpsest/core';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { labelProblem } from './label-problem.ts';
import type { MetricEntry } from './metric-entry.ts';
import { metricNames } from './metric-names.ts';

/** Series of one process at most, beside the hundred that are there from the start; what comes above is counted as dropped. */
const defaultMaxSeries = 1_900;
const droppedName = 'gateway_metrics_dropped_total';

export interface MeterOptions {
  /** Tests: an unknown name, label or value throws `internal` instead of being counted as dropped. */
  strict: boolean;
  version?: string;
  maxSeries?: number;
}

/** The meter of one process, with what `/metrics` answers. */
export interface PrometheusMeter extends Meter {
  text(): Promise<string>;
  readonly contentType: string;
  /** Forget every value of a name, for gauges that another process reports from now on. */
  clear(name: string): void;
  /** The same figures as `text`, to be sent in another form. */
  measured(): Promise<readonly MeasuredMetric[]>;
}

export interface MeasuredMetric {
  name: string;
  help: string;
  type: MetricEntry['type'];
  values: readonly MeasuredValue[];
}

/** One line of a metric; of a histogram `labels.le` and the ending of `metricName` say which. */
export interface MeasuredValue {
  metricName?: string;
  labels: Readonly<Record<string, string | number>>;
  value: number;
}

/**
 * A meter on a registry of its own, with Node's process metrics (event loop lag among them) and `gateway_build_info`.
 * Measuring never throws unless `strict`.
 */
export function createMeter(options: MeterOptions): PrometheusMeter {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const meter = new RegistryMeter(registry, options);
  meter.set('gateway_build_info', 1, { version: options.version ?? '0.1.0' });
  meter.beginSeries();
  return meter;
}

/** Node's own metrics are of these kinds too. */
const types: Readonly<Record<string, MetricEntry['type']>> = {
  counter: 'counter',
  gauge: 'gauge',
  histogram: 'histogram',
};

class RegistryMeter implements PrometheusMeter {
  readonly contentType: string;
  readonly #registry: Registry;
  readonly #options: MeterOptions;
  readonly #series = new Map<string, number>();
  readonly #made = new Map<string, Counter | Gauge | Histogram>();
  #seriesCount = 0;

  constructor(registry: Registry, options: MeterOptions) {
    this.#registry = registry;
    this.#options = options;
    this.contentType = registry.contentType;
  }

  count(name: string, labels: Record<string, string> = {}, by = 1): void {
    const metric = this.#find(name, 'counter', { labels, value: by });
    if (metric instanceof Counter) metric.inc(labels, by);
  }

  observe(name: string, value: number, labels: Record<string, string> = {}): void {
    const metric = this.#find(name, 'histogram', { labels, value });
    if (metric instanceof Histogram) metric.observe(labels, value);
  }

  set(name: string, value: number, labels: Record<string, string> = {}): void {
    const metric = this.#find(name, 'gauge', { labels, value });
    if (metric instanceof Gauge) metric.set(labels, value);
  }

  add(name: string, by: number, labels: Record<string, string> = {}): void {
    const metric = this.#find(name, 'gauge', { labels, value: by });
    if (metric instanceof Gauge) metric.inc(labels, by);
  }

  /** The series that are there before anything happened; their number is fixed, so the limit is for the others. */
  beginSeries(): void {
    for (const [name, entry] of Object.entries(metricNames))
      for (const labels of entry.fromStart ?? []) {
        this.#series.set(seriesOf(name, entry, labels), 0);
        const metric = this.#find(name, entry.type, { labels, value: 0 });
        if (metric instanceof Counter) metric.inc(labels, 0);
        if (metric instanceof Histogram) metric.zero(labels);
      }
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  async measured(): Promise<readonly MeasuredMetric[]> {
    const metrics = await this.#registry.getMetricsAsJSON();
    return metrics.map(({ name, help, type, values }) => ({
      name,
      help,
      type: types[String(type)] ?? 'gauge',
      values: values as readonly MeasuredValue[],
    }));
  }

  clear(name: string): void {
    this.#made.get(name)?.reset();
    // `reset` leaves a gauge without labels at 0, which would say "nothing waits".
    this.#registry.removeSingleMetric(name);
    this.#made.delete(name);
    for (const [series, weight] of this.#series) {
      if (!series.startsWith(`${name}{`)) continue;
      this.#series.delete(series);
      this.#seriesCount -= weight;
    }
  }

  /** The metric to write to, null when this measurement is dropped. */
  #find(
    name: string,
    type: MetricEntry['type'],
    measured: { labels: Record<string, string>; value: number },
  ): Counter | Gauge | Histogram | null {
    const entry = metricNames[name];
    if (!entry)
      return this.#drop(
        'unknown_name',
        `metric ${name} is not in the table of packages/metrics; add it there`,
      );
    if (entry.type !== type)
      return this.#drop('wrong_type', `metric ${name} is a ${entry.type}, used as a ${type}`);
    const problem = labelProblem(entry, measured.labels);
    if (problem) return this.#drop('wrong_labels', `metric ${name} ${problem}`);
    if (!Number.isFinite(measured.value) || (type === 'counter' && measured.value < 0)) {
      return this.#drop(
        'wrong_value',
        `metric ${name} was given ${measured.value}; counters rise, values are finite`,
      );
    }
    if (!this.#room(name, entry, measured.labels)) return this.#drop('too_many_series', null);
    return this.#metric(name, entry);
  }

  /** False when this label set would be one series too many. */
  #room(name: string, entry: MetricEntry, labels: Record<string, string>): boolean {
    const series = seriesOf(name, entry, labels);
    if (this.#series.has(series)) return true;
    // A histogram is one series a bucket, and +Inf, sum and count.
    const weight = entry.type === 'histogram' ? (entry.buckets?.length ?? 0) + 3 : 1;
    const most = this.#options.maxSeries ?? defaultMaxSeries;
    if (name !== droppedName && this.#seriesCount + weight > most) return false;
    this.#series.set(series, weight);
    this.#seriesCount += weight;
    return true;
  }

  #metric(name: string, entry: MetricEntry): Counter | Gauge | Histogram {
    const made = this.#made.get(name);
    if (made) return made;
    const common = { name, help: entry.help, labelNames: [...entry.labels], registers: [this.#registry] };
    const metric =
      entry.type === 'histogram'
        ? new Histogram({ ...common, buckets: [...(entry.buckets ?? [])] })
        : new (entry.type === 'counter' ? Counter : Gauge)(common);
    this.#made.set(name, metric);
    return metric;
  }

  #drop(why: string, problem: string | null): null {
    if (problem !== null && this.#options.strict) throw new GatewayError('internal', problem);
    this.count(droppedName, { why });
    return null;
  }
}

function seriesOf(
  name: string,
  { labels: names }: MetricEntry,
  labels: Readonly<Record<string, string>>,
): string {
  return `${name}{${names.map((label) => labels[label] ?? '').join(',')}`;
}

/** One name of the metric table. Labels are the whole set: a call gives each of them and no other. */
export interface MetricEntry {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
  /** Upper bounds in the unit of the name; histograms only. */
  buckets?: readonly number[];
  /**
   * Series that are there at 0 from the start: of one that begins at 1, Prometheus sees no increase, and an alert on the
   * first event would stay silent.
   */
  fromStart?: readonly Readonly<Record<string, string>>[];
}

export type MetricTable = Readonly<Record<string, MetricEntry>>;

export function counter(help: string, labels: readonly string[] = []): MetricEntry {
  return { type: 'counter', help, labels };
}

export function gauge(help: string, labels: readonly string[] = []): MetricEntry {
  return { type: 'gauge', help, labels };
}

export function histogram(
  help: string,
  buckets: readonly number[],
  labels: readonly string[] = [],
): MetricEntry {
  return { type: 'histogram', help, labels, buckets };
}

/** The entry with a series for each of these values of its one label, from the start. */
export function fromStart(entry: MetricEntry, values: readonly string[]): MetricEntry {
  return { ...entry, fromStart: values.map((value) => ({ [entry.labels[0] ?? '']: value })) };
}

/** `count` bounds that grow by `factor`, rounded to whole numbers. */
export function growing(first: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.round(first * factor ** index));
}

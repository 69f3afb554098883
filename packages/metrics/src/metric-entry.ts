/** One name of the metric table. Labels are the whole set: a call gives each of them and no other. */
export interface MetricEntry {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
  /** Upper bounds in the unit of the name; histograms only. */
  buckets?: readonly number[];
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

/** `count` bounds that grow by `factor`, rounded to whole numbers. */
export function growing(first: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.round(first * factor ** index));
}

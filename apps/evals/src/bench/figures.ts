/** Flat figures of a bench: snake_case keys that carry their unit. A text says why a figure is not there. */
export type Figures = Record<string, number | string>;

export type QueueBackend = 'redis' | 'postgres';

/** Sizes of the benches that have any. */
export interface BenchSizes {
  sessions: number;
  /** Messages of each session. */
  messages: number;
  /** Messages a second of the paced run. */
  perSecond: number;
  queues: readonly QueueBackend[];
  /** How many times as fast as real time. */
  speed: number;
  /** Of the load bench: of a step; of the memory run; rows of the large database, 0: none is made (search: the usual). */
  seconds: number;
  minutes: number;
  rows: number;
  /** Of the search bench: searches at most. */
  searches: number;
}

/** A value at a share (0 … 1) of the sorted values; NaN when there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Two digits behind the point below ten, one below a hundred, none above. */
export function rounded(value: number): number {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return Number(value.toFixed(digits));
}

/** `{name}_p50_ms` and the like. */
export function quantiles(name: string, valuesMs: readonly number[], shares: readonly number[]): Figures {
  return Object.fromEntries(
    shares.map((share) => [`${name}_p${Math.round(share * 100)}_ms`, rounded(percentile(valuesMs, share))]),
  );
}

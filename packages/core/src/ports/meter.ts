/**
 * Where counters and timings go. Names and labels are those of packages/metrics; an unknown name or label throws
 * in tests. Never an id, a name or a text as a label value.
 */
export interface Meter {
  count(name: string, labels?: Record<string, string>, by?: number): void;
  observe(name: string, value: number, labels?: Record<string, string>): void;
  set(name: string, value: number, labels?: Record<string, string>): void;
  /** Move a gauge up or down: what is going on at the same time. */
  add(name: string, by: number, labels?: Record<string, string>): void;
}

export const silentMeter: Meter = { count() {}, observe() {}, set() {}, add() {} };

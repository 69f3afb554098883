import type { Meter } from '@palimpsest/core';
import { createMeter } from '@palimpsest/metrics';

/**
 * Keeps the labels of everything that is counted and the values of what is observed, by name; a series that is only begun, at 0,
 * is nothing yet. What the table does not know throws.
 */
export function recordingMeter(): {
  meter: Meter;
  counted(name: string): Readonly<Record<string, string>>[];
  observed(name: string): number[];
} {
  const calls: { name: string; labels: Readonly<Record<string, string>> }[] = [];
  const values: { name: string; value: number }[] = [];
  const strict = createMeter({ strict: true });
  return {
    meter: {
      set: (...measured) => strict.set(...measured),
      add: (...measured) => strict.add(...measured),
      count(name, labels = {}, by = 1) {
        strict.count(name, labels, by);
        if (by > 0) calls.push({ name, labels });
      },
      observe(name, value, labels) {
        strict.observe(name, value, labels);
        values.push({ name, value });
      },
    },
    counted: (name) => calls.filter((call) => call.name === name).map((call) => call.labels),
    observed: (name) => values.filter((one) => one.name === name).map(({ value }) => value),
  };
}

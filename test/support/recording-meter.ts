import { silentMeter, type Meter } from '@palimpsest/core';

/**
 * Keeps the labels of everything that is counted and the values of what is observed, by name; a series that is only begun, at 0,
 * is nothing yet.
 */
export function recordingMeter(): {
  meter: Meter;
  counted(name: string): Readonly<Record<string, string>>[];
  observed(name: string): number[];
} {
  const calls: { name: string; labels: Readonly<Record<string, string>> }[] = [];
  const values: { name: string; value: number }[] = [];
  return {
    meter: {
      ...silentMeter,
      count: (name, labels = {}, by = 1) => void (by > 0 && calls.push({ name, labels })),
      observe: (name, value) => void values.push({ name, value }),
    },
    counted: (name) => calls.filter((call) => call.name === name).map((call) => call.labels),
    observed: (name) => values.filter((one) => one.name === name).map(({ value }) => value),
  };
}

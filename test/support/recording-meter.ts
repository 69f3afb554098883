import { silentMeter, type Meter } from '@palimpsest/core';

/** Keeps the labels of everything that is counted, by name; a series that is only begun, at 0, is nothing yet. */
export function recordingMeter(): {
  meter: Meter;
  counted(name: string): Readonly<Record<string, string>>[];
} {
  const calls: { name: string; labels: Readonly<Record<string, string>> }[] = [];
  return {
    meter: {
      ...silentMeter,
      count: (name, labels = {}, by = 1) => void (by > 0 && calls.push({ name, labels })),
    },
    counted: (name) => calls.filter((call) => call.name === name).map((call) => call.labels),
  };
}

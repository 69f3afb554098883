import type { MetricEntry } from './metric-entry.ts';

/** Labels whose values are names of the operator's few models, bots, shards and builds. */
const freeLabels: ReadonlySet<string> = new Set(['model', 'provider', 'bot', 'shard', 'version']);
const freeValue = /^[\w.:@/+ -]{1,100}$/;
const wordValue = /^[a-z0-9][a-z0-9_-]{0,39}$/;
/** Four digits are a year or a status; more are somebody's id, and every one of them would be a series. */
const idInside = /\d{5,}|[0-9a-f]{8}-[0-9a-f]{4}-/;

/** Why these labels may not be used with this metric; null when they may. */
export function labelProblem(entry: MetricEntry, labels: Readonly<Record<string, string>>): string | null {
  for (const [label, value] of Object.entries(labels)) {
    if (!entry.labels.includes(label))
      return `has no label ${label}; allowed: ${entry.labels.join(', ') || 'none'}`;
    const fits = freeLabels.has(label)
      ? freeValue.test(value)
      : wordValue.test(value) && !idInside.test(value);
    if (!fits)
      return `has a value for ${label} that is no bounded word (${value.length} characters); never label with an id or a text`;
  }
  return null;
}

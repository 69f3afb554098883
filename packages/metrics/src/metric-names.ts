import type { MetricTable } from './metric-entry.ts';
import { compactionMetrics } from './names/compaction-metrics.ts';
import { contextMetrics } from './names/context-metrics.ts';
import { flowMetrics } from './names/flow-metrics.ts';
import { hookMetrics } from './names/hook-metrics.ts';
import { lcmMetrics } from './names/lcm-metrics.ts';

/**
 * Every metric of ours: name → type, help, labels, buckets. Base units, `_total` for counters, labels with few values.
 * A name that is not here is refused by the meter.
 */
export const metricNames: MetricTable = {
  ...compactionMetrics,
  ...contextMetrics,
  ...flowMetrics,
  ...hookMetrics,
  ...lcmMetrics,
};

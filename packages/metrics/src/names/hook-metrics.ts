import { counter, histogram, type MetricTable } from '../metric-entry.ts';

/** Events on their way to hook modules and webhooks. */
export const hookMetrics: MetricTable = {
  gateway_hook_deliveries_total: counter('Events told to a hook, by what became of it', ['kind', 'outcome']),
  gateway_hook_duration_seconds: histogram(
    'Time a hook took',
    [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    ['kind'],
  ),
};

/** Bounds of every histogram as `/metrics` shows them, written out by hand: quantiles of boards and alerts stand on them. */
import { createMeter, metricNames } from '@palimpsest/metrics';
import { expect, test } from 'vitest';

const tokens = '1000 2000 4000 8000 16000 32000 64000 128000 256000 512000 1024000 2048000';
const aCompaction = '0.1 0.25 0.5 1 2.5 5 10 20 30 60 120';
const aCall = '0.1 0.25 0.5 1 2.5 5 10 20 30 60 120 300';
const untilSeen = '0.25 0.5 1 2.5 5 10 20 30 60 120 300';

const bounds: readonly (readonly [name: string, bounds: string])[] = [
  ['gateway_compaction_duration_seconds', aCompaction],
  ['gateway_compaction_summary_duration_seconds', aCompaction],
  ['gateway_compaction_tokens_before', tokens],
  ['gateway_compaction_tokens_after', tokens],
  ['gateway_compaction_ratio', '0.05 0.1 0.15 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.2'],
  ['gateway_compaction_summary_tokens', '100 200 400 800 1600 3200 6400 12800 25600'],
  // A second … a day.
  ['gateway_compaction_reentry_seconds', '1 10 60 300 600 1800 3600 10800 43200 86400'],
  ['gateway_compaction_turns_between', '1 2 5 10 20 50 100 200 500'],
  ['gateway_context_utilization_ratio', '0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.75 0.8 0.85 0.9 0.95 1 1.5'],
  ['gateway_context_estimate_error_ratio', '-0.5 -0.3 -0.2 -0.15 -0.1 -0.05 0 0.05 0.1 0.15 0.2 0.3 0.5'],
  ['gateway_llm_request_duration_seconds', aCall],
  ['gateway_llm_time_to_first_token_seconds', aCall],
  [
    'gateway_llm_prompt_tokens_since_compaction',
    '1000 4000 16000 64000 256000 1024000 4096000 16384000 65536000',
  ],
  ['gateway_lcm_phase_duration_seconds', '0.001 0.005 0.01 0.05 0.1 0.5 1 5 10 30 60 120'],
  ['gateway_lcm_dag_depth', '0 1 2 3 4 5 6 7 8'],
  ['gateway_lcm_assembly_statements', '0 1 2 3 4 6 8 12 16'],
  ['gateway_inbound_lag_seconds', '0.1 0.25 0.5 1 2.5 5 10 30 60 300 3600'],
  ['gateway_wake_latency_seconds', '0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 5 15 60'],
  ['gateway_turn_duration_seconds', '0.25 0.5 1 2.5 5 10 20 30 60 120 300 600 1800'],
  ['gateway_time_to_first_visible_seconds', untilSeen],
  ['gateway_time_to_final_reply_seconds', untilSeen],
  ['gateway_rate_limit_wait_seconds', '0.1 0.5 1 2.5 5 10 30 60 300'],
  ['gateway_hook_duration_seconds', '0.005 0.01 0.05 0.1 0.5 1 5 10 30'],
];

const text = await textOfAll();

test.each(bounds)('%s is counted up to %s', (name, expected) => {
  const shown = [...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"`, 'gm'))].map(([, le]) => le);

  // Some have a series for each layer from the start.
  expect([...new Set(shown)].join(' ')).toBe(`${expected} +Inf`);
});

test('no histogram is left out', () => {
  const shown = [...text.matchAll(/^# TYPE (gateway_\w+) histogram$/gm)].map(([, name]) => name);

  expect(bounds.map(([name]) => name).toSorted()).toEqual(shown.toSorted());
});

/** Each histogram with one series. */
async function textOfAll(): Promise<string> {
  const meter = createMeter({ strict: true });
  for (const [name, { type, labels }] of Object.entries(metricNames))
    if (type === 'histogram')
      meter.observe(name, 0, Object.fromEntries(labels.map((label) => [label, 'any'])));
  return meter.text();
}

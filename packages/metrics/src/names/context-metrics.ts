import { budgetOwners } from '@palimpsest/core';
import { counter, fromStart, gauge, growing, histogram, type MetricTable } from '../metric-entry.ts';

const callBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];

/** How full prompts are, and what model calls cost. */
export const contextMetrics: MetricTable = {
  gateway_context_utilization_ratio: histogram(
    'Prompt tokens / window at each model call',
    [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1, 1.5],
    ['model'],
  ),
  gateway_context_overflow_errors_total: counter('Prompts the provider refused as too long', [
    'model',
    'recovered',
  ]),
  gateway_context_sessions_over_threshold: gauge('Sessions whose prompt is over the threshold of the layer', [
    'layer',
  ]),
  gateway_context_estimate_error_ratio: histogram(
    '(estimated - counted) / counted prompt tokens',
    [-0.5, -0.3, -0.2, -0.15, -0.1, -0.05, 0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5],
    ['model'],
  ),
  gateway_llm_tokens_total: counter('Tokens billed by the provider; input leaves the cached ones out', [
    'model',
    'type',
    'purpose',
  ]),
  gateway_llm_cost_usd_total: counter('Price of model calls', ['model', 'purpose']),
  // Ours: an alert wants to know before the budget is used up.
  gateway_budget_warnings_total: fromStart(
    counter('Times the share of a daily budget that people are told of was passed', ['whose']),
    budgetOwners,
  ),
  gateway_llm_requests_total: counter('Model calls', ['model', 'outcome']),
  gateway_llm_request_duration_seconds: histogram('Time of one model call', callBuckets, [
    'model',
    'outcome',
  ]),
  gateway_llm_time_to_first_token_seconds: histogram('Time to the first token of a model call', callBuckets, [
    'model',
    'outcome',
  ]),
  gateway_llm_prompt_tokens_since_compaction: histogram(
    'Prompt tokens sent since the former compaction, when one starts',
    growing(1_000, 4, 9),
  ),
};

import { counter, gauge, histogram, type MetricTable } from '../metric-entry.ts';

const phaseBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120];

/** The lossless engine: its sweeps, its debts, and what the model opens again. */
export const lcmMetrics: MetricTable = {
  gateway_lcm_phase_duration_seconds: histogram('Time of one phase of the engine', phaseBuckets, ['phase']),
  gateway_lcm_passes_total: counter('Summaries made', ['kind', 'mode']),
  gateway_lcm_escalations_total: counter('Which level a summary was written at; normal is the first', [
    'level',
  ]),
  gateway_lcm_cache_decisions_total: counter('Work that was due below the threshold: done, or put off', [
    'state',
    'decision',
  ]),
  gateway_lcm_debt_sessions: gauge('Sessions that owe work', ['reason']),
  gateway_lcm_debt_oldest_age_seconds: gauge('Age of the oldest debt', ['reason']),
  gateway_lcm_breaker_open: gauge('1 while a summary model rests after failures', ['provider', 'model']),
  gateway_lcm_spend_backoff_sessions: gauge('Sessions that used up their summary calls'),
  gateway_lcm_dag_depth: histogram('Deepest summary in an assembled prompt', [0, 1, 2, 3, 4, 5, 6, 7, 8]),
  gateway_lcm_assembly_statements: histogram(
    'Statements of the database for one assembled prompt',
    [0, 1, 2, 3, 4, 6, 8, 12, 16],
  ),
  gateway_lcm_expand_tokens_total: counter('Tokens of what the model opened again', ['tool', 'truncated']),
  gateway_lcm_invariant_violations: gauge('Broken rules in the sessions used last', ['invariant']),
};

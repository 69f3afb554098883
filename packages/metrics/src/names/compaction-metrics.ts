import { layers, reasons } from '@palimpsest/core';
import { counter, fromStart, gauge, growing, histogram, type MetricTable } from '../metric-entry.ts';

/** 1k … 2M tokens, factor 2. */
const tokenBuckets = growing(1_000, 2, 12);
/** A compaction without a model takes milliseconds, one with a slow summariser two minutes. */
const durationBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];

/** Compactions: how they were asked for, how they ended, what they took and gave. */
export const compactionMetrics: MetricTable = {
  gateway_compaction_attempts_total: counter('Compaction attempts, skipped and failed ones included', [
    'layer',
    'trigger',
    'outcome',
    'reason',
  ]),
  gateway_compaction_duration_seconds: histogram('Time of one attempt', durationBuckets, [
    'layer',
    'outcome',
  ]),
  gateway_compaction_summary_duration_seconds: histogram(
    'Time of the summary calls of one attempt',
    durationBuckets,
    ['model', 'outcome'],
  ),
  gateway_compaction_tokens_before: histogram('Prompt tokens before a compaction', tokenBuckets, ['layer']),
  gateway_compaction_tokens_after: histogram('Prompt tokens after a compaction', tokenBuckets, ['layer']),
  gateway_compaction_tokens_reclaimed_total: counter('Prompt tokens taken out by compactions', ['layer']),
  gateway_compaction_ratio: histogram(
    'Prompt tokens after / before',
    [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2],
    ['layer'],
  ),
  gateway_compaction_messages_archived_total: counter('Rows archived; they stay searchable', ['layer']),
  gateway_compaction_messages_dropped_without_summary_total: fromStart(
    counter('Rows taken out of the prompt with no summary line about them; the goal is 0', ['reason']),
    reasons,
  ),
  gateway_compaction_summary_failures_total: counter('Summary calls that failed', ['model', 'reason']),
  gateway_compaction_summary_tokens: histogram('Tokens of a written summary', growing(100, 2, 9), ['model']),
  gateway_compaction_cost_usd_total: counter('Price of summary calls', ['model']),
  gateway_compaction_saved_usd_total: counter(
    'Price not paid on later calls because of a compaction; known when the next one starts',
    ['layer'],
  ),
  gateway_compaction_spent_usd_total: counter(
    'Price of compactions: summary calls and the prompt written to the cache anew',
    ['layer'],
  ),
  gateway_compaction_breaker_open_sessions: gauge('Sessions whose compaction rests', ['layer']),
  gateway_compaction_reentry_seconds: fromStart(
    histogram(
      'Time since the former compaction of the same session',
      [1, 10, 60, 300, 600, 1_800, 3_600, 10_800, 43_200, 86_400],
      ['layer'],
    ),
    layers,
  ),
  gateway_compaction_turns_between: histogram(
    'Turns since the former compaction',
    [1, 2, 5, 10, 20, 50, 100, 200, 500],
    ['layer'],
  ),
  // Ours: a summary that was paid for and never used.
  gateway_compaction_prepared_dropped_total: counter('Plans made ahead that could not be used any more', [
    'why',
  ]),
  // Ours: the next real prompt count says whether a compaction helped.
  gateway_compaction_confirmed_total: counter(
    'Compactions judged by the next real prompt: below the trigger or not',
    ['outcome'],
  ),
  gateway_compaction_undo_total: counter('Compactions taken back'),
  gateway_compaction_inflight: gauge('Compactions running in this process', ['layer']),
  // Ours: hygiene decides before every turn, so the share of turns it holds up needs a denominator.
  gateway_hygiene_decisions_total: counter('Decisions of hygiene before a turn: compact, or why not', [
    'decision',
  ]),
};

/** Every name that operators are promised, with its labels, written out by hand. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { layers, outcomes, reasons, triggers } from '@palimpsest/core';
import { createMeter, metricNames } from '@palimpsest/metrics';
import { expect, test } from 'vitest';

const promised: readonly (readonly [name: string, type: string, labels: string])[] = [
  ['gateway_compaction_attempts_total', 'counter', 'layer, trigger, outcome, reason'],
  ['gateway_compaction_duration_seconds', 'histogram', 'layer, outcome'],
  ['gateway_compaction_summary_duration_seconds', 'histogram', 'model, outcome'],
  ['gateway_compaction_tokens_before', 'histogram', 'layer'],
  ['gateway_compaction_tokens_after', 'histogram', 'layer'],
  ['gateway_compaction_tokens_reclaimed_total', 'counter', 'layer'],
  ['gateway_compaction_ratio', 'histogram', 'layer'],
  ['gateway_compaction_messages_archived_total', 'counter', 'layer'],
  ['gateway_compaction_messages_dropped_without_summary_total', 'counter', 'reason'],
  ['gateway_compaction_summary_failures_total', 'counter', 'model, reason'],
  ['gateway_compaction_summary_tokens', 'histogram', 'model'],
  ['gateway_compaction_cost_usd_total', 'counter', 'model'],
  ['gateway_compaction_saved_usd_total', 'counter', 'layer'],
  ['gateway_compaction_spent_usd_total', 'counter', 'layer'],
  ['gateway_compaction_breaker_open_sessions', 'gauge', 'layer'],
  ['gateway_compaction_reentry_seconds', 'histogram', 'layer'],
  ['gateway_compaction_turns_between', 'histogram', 'layer'],
  ['gateway_compaction_undo_total', 'counter', ''],
  ['gateway_compaction_inflight', 'gauge', 'layer'],
  ['gateway_context_utilization_ratio', 'histogram', 'model'],
  ['gateway_context_overflow_errors_total', 'counter', 'model, recovered'],
  ['gateway_context_sessions_over_threshold', 'gauge', 'layer'],
  ['gateway_context_estimate_error_ratio', 'histogram', 'model'],
  ['gateway_llm_tokens_total', 'counter', 'model, type, purpose'],
  ['gateway_llm_cost_usd_total', 'counter', 'model, purpose'],
  ['gateway_llm_requests_total', 'counter', 'model, outcome'],
  ['gateway_llm_request_duration_seconds', 'histogram', 'model, outcome'],
  ['gateway_llm_time_to_first_token_seconds', 'histogram', 'model, outcome'],
  ['gateway_llm_prompt_tokens_since_compaction', 'histogram', ''],
  ['gateway_lcm_phase_duration_seconds', 'histogram', 'phase'],
  ['gateway_lcm_passes_total', 'counter', 'kind, mode'],
  ['gateway_lcm_escalations_total', 'counter', 'level'],
  ['gateway_lcm_cache_decisions_total', 'counter', 'state, decision'],
  ['gateway_lcm_debt_sessions', 'gauge', 'reason'],
  ['gateway_lcm_debt_oldest_age_seconds', 'gauge', 'reason'],
  ['gateway_lcm_breaker_open', 'gauge', 'provider, model'],
  ['gateway_lcm_spend_backoff_sessions', 'gauge', ''],
  ['gateway_lcm_dag_depth', 'histogram', ''],
  ['gateway_lcm_assembly_statements', 'histogram', ''],
  ['gateway_lcm_expand_tokens_total', 'counter', 'tool, truncated'],
  ['gateway_lcm_invariant_violations', 'gauge', 'invariant'],
  ['gateway_inbound_updates_total', 'counter', 'platform, kind, result'],
  ['gateway_inbound_drop_reasons_total', 'counter', 'platform, reason'],
  ['gateway_inbound_lag_seconds', 'histogram', 'platform'],
  ['gateway_telegram_poll_last_success_timestamp_seconds', 'gauge', 'bot'],
  ['gateway_telegram_conflicts_total', 'counter', 'bot'],
  ['gateway_telegram_webhook_pending_updates', 'gauge', 'bot'],
  ['gateway_discord_gateway_events_total', 'counter', 'event'],
  ['gateway_discord_last_dispatch_timestamp_seconds', 'gauge', 'shard'],
  ['gateway_discord_last_alive_timestamp_seconds', 'gauge', 'shard'],
  ['gateway_discord_heartbeat_latency_seconds', 'gauge', 'shard'],
  ['gateway_discord_backfill_messages_total', 'counter', 'result'],
  ['gateway_discord_invalid_requests_total', 'counter', 'status'],
  ['gateway_mailbox_pending_messages', 'gauge', 'platform'],
  ['gateway_mailbox_oldest_pending_age_seconds', 'gauge', 'platform'],
  ['gateway_wake_latency_seconds', 'histogram', ''],
  ['gateway_sweeper_rewakes_total', 'counter', 'cause'],
  ['gateway_turns_total', 'counter', 'platform, outcome'],
  ['gateway_turn_duration_seconds', 'histogram', 'platform, outcome'],
  ['gateway_time_to_first_visible_seconds', 'histogram', 'platform'],
  ['gateway_time_to_final_reply_seconds', 'histogram', 'platform'],
  ['gateway_fenced_writes_total', 'counter', 'what'],
  ['gateway_delivery_attempts_total', 'counter', 'platform, kind, outcome'],
  ['gateway_delivery_pending', 'gauge', 'platform'],
  ['gateway_delivery_oldest_pending_age_seconds', 'gauge', 'platform'],
  ['gateway_rate_limit_wait_seconds', 'histogram', 'platform, scope'],
  ['gateway_rate_limited_total', 'counter', 'platform, scope'],
  ['gateway_format_fallbacks_total', 'counter', 'platform, reason'],
  ['gateway_dead_letters', 'gauge', 'kind'],
  ['gateway_erasures_total', 'counter', 'scope, outcome'],
  ['gateway_erased_messages_total', 'counter', 'scope'],
  ['gateway_operator_acts', 'gauge', 'act, via'],
  ['gateway_build_info', 'gauge', 'version'],
  ['gateway_config_last_reload_successful', 'gauge', ''],
];

test.each(promised)('%s is a %s with the labels %s', (name, type, labels) => {
  const entry = metricNames[name];
  expect(entry, `${name} is missing in the table`).toBeDefined();
  expect([entry?.type, entry?.labels.join(', ')]).toEqual([type, labels]);
});

test('every name of the table is measured somewhere', () => {
  const sources = readSources();
  const unused = Object.keys(metricNames).filter((name) => !sources.includes(`'${name}'`));
  expect(unused).toEqual([]);
});

test('every outcome and every reason of the ledger is a label of the attempts', async () => {
  const meter = createMeter({ strict: true });

  for (const outcome of outcomes)
    for (const reason of reasons)
      meter.count('gateway_compaction_attempts_total', {
        layer: 'agent',
        trigger: 'threshold',
        outcome,
        reason,
      });
  for (const layer of layers)
    for (const trigger of triggers)
      meter.count('gateway_compaction_attempts_total', {
        layer,
        trigger,
        outcome: 'success',
        reason: 'none',
      });

  const text = await meter.text();
  for (const outcome of outcomes) expect(text).toContain(`outcome="${outcome}"`);
  for (const reason of reasons) expect(text).toContain(`reason="${reason}"`);
  expect(text).not.toContain('gateway_metrics_dropped_total{');
});

test('a full process stays under the limit of series: no label holds a chat, a person or a session', async () => {
  const meter = createMeter({ strict: true });
  const idLike = ['chat', 'user', 'session', 'person', 'message', 'turn', 'thread', 'title', 'name', 'text'];

  const labels = new Set(Object.values(metricNames).flatMap((entry) => entry.labels));

  for (const label of labels) expect(idLike).not.toContain(label);
  for (let chat = 0; chat < 3_000; chat++)
    meter.count('gateway_inbound_updates_total', {
      platform: 'telegram',
      kind: 'message',
      result: chat % 2 === 0 ? 'stored' : 'denied',
    });
  const ours = (await meter.text()).split('\n').filter((line) => line.startsWith('gateway_inbound'));
  expect(ours).toHaveLength(2);
});

/** Our sources without the table itself. */
function readSources(): string {
  const repository = fileURLToPath(new URL('../../', import.meta.url));
  return ['packages', 'apps']
    .flatMap((folder) =>
      readdirSync(join(repository, folder)).flatMap((name) => {
        const source = join(repository, folder, name, 'src');
        return readdirSync(source, { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith('.ts') && !file.startsWith('names/'))
          .map((file) => readFileSync(join(source, file), 'utf8'));
      }),
    )
    .join('\n');
}

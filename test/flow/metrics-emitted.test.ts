/** Every metric that is declared comes out of something that runs, with its labels: out of these worlds, or where the list says. */
import { readFileSync } from 'node:fs';
import { metricNames } from '@palimpsest/metrics';
import {
  startFakeTelegram,
  type FakeTelegram,
  type ModelScript,
  type ScriptRequest,
} from '@palimpsest/testkit';
import { describe, expect, test } from 'vitest';
import { adapterOf, botApiSchema } from '../support/fake-telegram.ts';
import { query } from '../support/ledger-attempts.ts';
import { importTalk } from '../support/import-talk.ts';
import { png } from '../support/media.ts';
import { SeenSeries } from '../support/seen-series.ts';
import { answering, ask, isAnswer, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

const timeout = 120_000;
const seen = new SeenSeries();
const { meter } = seen;

/** Seen by other tests, which start what measures them. */
const elsewhere: Readonly<Record<string, string>> = {
  gateway_compaction_prepared_dropped_total: 'flow/compaction-ahead.test.ts',
  gateway_context_overflow_errors_total: 'flow/compaction.test.ts',
  gateway_telegram_conflicts_total: 'contracts/telegram-listener.test.ts',
  gateway_telegram_webhook_pending_updates: 'contracts/telegram-webhook.test.ts',
  gateway_discord_gateway_events_total: 'contracts/discord-listener.test.ts',
  gateway_discord_last_dispatch_timestamp_seconds: 'contracts/discord-listener.test.ts',
  gateway_discord_last_alive_timestamp_seconds: 'contracts/discord-listener.test.ts',
  gateway_discord_heartbeat_latency_seconds: 'contracts/discord-listener.test.ts',
  gateway_discord_backfill_messages_total: 'contracts/discord-listener.test.ts',
  gateway_discord_invalid_requests_total: 'contracts/rate-discord-guard.test.ts',
  gateway_erasures_total: 'flow/erase-metrics.test.ts',
  gateway_erased_messages_total: 'flow/erase-metrics.test.ts',
  gateway_operator_acts: 'flow/cli-erase.test.ts',
  gateway_config_last_reload_successful: 'flow/config-live.test.ts',
  gateway_hook_deliveries_total: 'integration/hook-deliveries.test.ts',
  gateway_hook_duration_seconds: 'integration/hook-deliveries.test.ts',
  gateway_metrics_dropped_total: 'contracts/metrics.test.ts',
};

const isSummary = (request: ScriptRequest): boolean => request.tools.length === 0;

test(
  'a long talk: model calls, compactions of each layer, their economy, a failure, and one that is taken back',
  async () => {
    let isRefused = false;
    const turns = answering();
    await using world = await openTurnWorld({
      script: (request) => (isSummary(request) && isRefused ? { fault: 'auth' } : turns(request)),
      window: 8_000,
      meter,
      summaryOnMain: true,
      config: 'compression: {background: false}\nmodel: {daily_budget: {person_turns: 27}}',
    });
    await talk(world, 14);
    await ask(world, '/compress');
    await ask(world, '/undo_compaction');
    isRefused = true;
    await talk(world, 8);
    await seen.exportFrom(world);

    const model = 'model=claude-sonnet-5';
    await seen.expectSeries(
      'gateway_compaction_attempts_total layer=agent outcome=success reason=none trigger=threshold',
      'gateway_compaction_attempts_total layer=agent outcome=skipped reason=cooldown trigger=threshold',
      'gateway_compaction_attempts_total layer=manual outcome=success reason=none trigger=undo',
      'gateway_compaction_attempts_total layer=hygiene outcome=deterministic reason=none trigger=hygiene',
      'gateway_compaction_duration_seconds layer=agent outcome=success',
      'gateway_compaction_duration_seconds layer=hygiene outcome=failed',
      `gateway_compaction_summary_duration_seconds ${model} outcome=ok`,
      `gateway_compaction_summary_duration_seconds ${model} outcome=auth`,
      'gateway_compaction_tokens_before layer=agent',
      'gateway_compaction_tokens_after layer=hygiene',
      'gateway_compaction_tokens_reclaimed_total layer=manual',
      'gateway_compaction_ratio layer=agent',
      'gateway_compaction_messages_archived_total layer=agent',
      'gateway_compaction_summary_failures_total model=claude-sonnet-5 reason=summary_auth',
      'gateway_compaction_summary_tokens model=claude-sonnet-5',
      `gateway_compaction_cost_usd_total ${model}`,
      'gateway_compaction_saved_usd_total layer=agent',
      'gateway_compaction_spent_usd_total layer=agent',
      'gateway_compaction_breaker_open_sessions layer=hygiene',
      'gateway_compaction_reentry_seconds layer=agent',
      'gateway_compaction_turns_between layer=agent',
      'gateway_compaction_confirmed_total outcome=success',
      'gateway_compaction_undo_total',
      'gateway_compaction_inflight layer=agent',
      'gateway_hygiene_decisions_total decision=below_threshold',
      'gateway_hygiene_decisions_total decision=compact',
      `gateway_context_utilization_ratio ${model}`,
      `gateway_context_estimate_error_ratio ${model}`,
      'gateway_context_sessions_over_threshold layer=agent',
      `gateway_llm_tokens_total ${model} purpose=turn type=input`,
      `gateway_llm_tokens_total ${model} purpose=turn type=output`,
      `gateway_llm_tokens_total ${model} purpose=turn type=cache_read`,
      `gateway_llm_tokens_total ${model} purpose=summary type=cache_write`,
      `gateway_llm_cost_usd_total ${model} purpose=turn`,
      `gateway_llm_cost_usd_total ${model} purpose=summary`,
      `gateway_llm_requests_total ${model} outcome=ok`,
      `gateway_llm_requests_total ${model} outcome=auth`,
      `gateway_llm_request_duration_seconds ${model} outcome=ok`,
      `gateway_llm_time_to_first_token_seconds ${model} outcome=ok`,
      'gateway_llm_prompt_tokens_since_compaction',
      'gateway_budget_warnings_total whose=turns',
      'gateway_wake_latency_seconds',
      'gateway_turns_total outcome=answered platform=local',
      'gateway_delivery_attempts_total kind=notice outcome=sent platform=local',
      'gateway_delivery_pending platform=local',
      'gateway_delivery_oldest_pending_age_seconds platform=local',
      'gateway_delivery_unknown',
      'gateway_mailbox_pending_messages platform=local',
      'gateway_mailbox_oldest_pending_age_seconds platform=local',
      'gateway_dead_letters kind=outbox',
      'gateway_turns_running',
      'gateway_sessions',
      'gateway_build_info version=0.1.0',
    );
  },
  timeout,
);

test(
  'rows that a summary written without a model has no line for are counted',
  async () => {
    await using world = await openTurnWorld({
      script: (request) => (isSummary(request) ? { fault: 'auth' } : { text: 'Noted.' }),
      window: 8_000,
      meter,
      summaryOnMain: true,
      config: 'compression: {background: false}',
    });
    await world.say('hello');
    await world.hear(1);
    await importTalk(world, { count: 240, text: 'The ferry leaves at nine from the old pier.', tokens: 40 });

    await world.say('are you still there?');
    await world.hear(2, isAnswer);

    await seen.expectSeries('gateway_compaction_messages_dropped_without_summary_total reason=none');
  },
  timeout,
);

describe.skipIf(botApiSchema.missing)('on Telegram', () => {
  const ada = 4_242;
  const stranger = 5_353;

  async function openTelegram(): Promise<FakeTelegram & AsyncDisposable> {
    const telegram = await startFakeTelegram({ schemaPath: botApiSchema.path, liftRateLimits: true });
    telegram.addChat({ id: ada, type: 'private', first_name: 'Ada' });
    telegram.addChat({ id: stranger, type: 'private', first_name: 'Bob' });
    telegram.addFile('photo-1', png());
    return telegram;
  }

  test(
    'intake with a stranger and a photo, delivery with refusals, and a turn whose session another process took',
    async () => {
      await using telegram = await openTelegram();
      let isStolen = false;
      const script: ModelScript = async (request) => {
        if (request.messages.at(-1)?.text.includes('take it') && !isStolen) {
          isStolen = true;
          await query(world, `UPDATE sessions SET epoch = epoch + 1, lease_until = now()`);
        }
        return { text: '**Yes**' };
      };
      await using world = await openTurnWorld({
        script,
        meter,
        config: `platforms: {telegram: {allowed_users: [${ada}]}}`,
        adapters: [adapterOf(telegram, { meter })],
      });
      const says = async (said: Parameters<FakeTelegram['userSends']>[0]): Promise<void> => {
        const before = telegram.sent(ada).length;
        telegram.userSends(said);
        await until(() => telegram.sent(ada).length > before);
      };
      await says({ chatId: ada, text: 'one' });
      telegram.failNext('sendMessage', {
        error_code: 400,
        description: 'Bad Request: ENTITY_BOUNDS_INVALID',
      });
      await says({ chatId: ada, text: 'two' });
      const description = 'Too Many Requests: retry after 1';
      telegram.failNext('sendMessage', { error_code: 429, description, parameters: { retry_after: 1 } });
      await says({ chatId: ada, text: 'three' });
      telegram.userSends({ chatId: stranger, text: 'hello' });
      const photo = { file_id: 'photo-1', file_unique_id: 'u2', width: 640, height: 480, file_size: 97 };
      await says({ chatId: ada, fields: { photo: [photo] } });
      await says({ chatId: ada, text: 'take it' });

      await seen.expectSeries(
        'gateway_inbound_updates_total kind=message platform=telegram result=stored',
        'gateway_inbound_updates_total kind=message platform=telegram result=denied',
        'gateway_inbound_drop_reasons_total platform=telegram reason=not_allowlisted',
        'gateway_inbound_lag_seconds platform=telegram',
        'gateway_telegram_poll_last_success_timestamp_seconds bot=7000000001',
        'gateway_media_total kind=photo outcome=fetched platform=telegram',
        'gateway_turns_total outcome=answered platform=telegram',
        'gateway_turn_duration_seconds outcome=answered platform=telegram',
        'gateway_fenced_writes_total what=turn',
        'gateway_sweeper_rewakes_total cause=mailbox',
        'gateway_time_to_first_visible_seconds platform=telegram',
        'gateway_time_to_final_reply_seconds platform=telegram',
        'gateway_delivery_attempts_total kind=final outcome=sent platform=telegram',
        'gateway_delivery_attempts_total kind=final outcome=retry platform=telegram',
        'gateway_rate_limited_total platform=telegram scope=chat',
        'gateway_rate_limit_wait_seconds platform=telegram scope=chat',
        'gateway_format_fallbacks_total platform=telegram reason=refused',
      );
    },
    timeout,
  );
});

test(
  'the lossless engine: phases, passes, what it owes, what the model opens again, and a summary model that rests',
  async () => {
    let isRefused = false;
    const turns = answering();
    const summariser: ModelScript = () =>
      isRefused ? { fault: 'auth' } : { text: 'The ferry leaves at nine and comes back at dusk.' };
    await using world = await openTurnWorld({
      script: (request) => {
        const { text, toolResults } = request.messages.at(-1)!;
        const [, id] = /<summary id="(sum_\w+)"/.exec(request.messages[0]!.text) ?? [];
        return text.includes('Line 9.') && toolResults.length === 0
          ? { toolCalls: [{ name: 'lcm_describe', arguments: { id } }] }
          : turns(request);
      },
      summariser,
      window: 64_000,
      meter,
      config: `
context:
  engine: lcm
  lcm:
    fresh_tail_count: 4
    leaf_chunk_tokens: 1500
    dynamic_leaf_chunk_tokens: {enabled: false}
    cache_aware_compaction: {cache_ttl_seconds: 600}
`,
    });
    await talk(world, 8);
    await seen.exportFrom(world);
    await ask(world, '/compress');
    await seen.expectSeries(
      'gateway_lcm_debt_sessions reason=hot-cache-budget-headroom',
      'gateway_lcm_debt_oldest_age_seconds reason=hot-cache-budget-headroom',
    );
    await talk(world, 5);
    isRefused = true;
    await ask(world, '/compress');
    await seen.exportFrom(world);

    await seen.expectSeries(
      'gateway_lcm_phase_duration_seconds phase=load',
      'gateway_lcm_phase_duration_seconds phase=select',
      'gateway_lcm_phase_duration_seconds phase=repair',
      'gateway_lcm_phase_duration_seconds phase=estimate',
      'gateway_lcm_phase_duration_seconds phase=summarise',
      'gateway_lcm_phase_duration_seconds phase=commit',
      'gateway_lcm_passes_total kind=leaf mode=sweep',
      'gateway_lcm_escalations_total level=normal',
      'gateway_lcm_escalations_total level=deterministic',
      'gateway_lcm_cache_decisions_total decision=defer state=hot',
      'gateway_lcm_breaker_open model=summariser provider=custom',
      'gateway_lcm_spend_backoff_sessions',
      'gateway_lcm_dag_depth',
      'gateway_lcm_assembly_statements',
      'gateway_lcm_expand_tokens_total tool=lcm_describe truncated=no',
      'gateway_lcm_invariant_violations invariant=edge_order',
    );
  },
  timeout,
);

test('no metric is declared that nothing shows; what other tests show is named in them', () => {
  const names = Object.keys(metricNames);
  const isNamed = (name: string): boolean =>
    new RegExp(`\\b${name}(_count)?\\b`).test(
      readFileSync(new URL(`../${elsewhere[name]}`, import.meta.url), 'utf8'),
    );

  expect(names.filter((name) => !seen.names().has(name) && !(name in elsewhere))).toEqual([]);
  expect(Object.keys(elsewhere).filter((name) => !names.includes(name) || !isNamed(name))).toEqual([]);
});

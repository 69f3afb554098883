/** Prometheus itself takes our files, and each alert fires on series that it is meant for and on no others. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { promtool } from '../support/promtool.ts';

const folder = fileURLToPath(new URL('../../infra/prometheus/', import.meta.url));

/** Series → values, one each `step`; `0+2x10` is 0, 2 … 20, `_` nothing, `stale` the end of the process. */
type Series = Record<string, string>;

interface Case {
  fires: Series;
  /** Nearly the same, and nothing to be woken for. */
  quiet: Series;
  /** When both are looked at. */
  at: string;
  /** Labels of the alert, beside its name and severity. */
  labels?: Record<string, string>;
  step?: string;
}

const attempts = 'gateway_compaction_attempts_total{outcome="success"}';
const failures = 'gateway_compaction_summary_failures_total{model="m",reason="timeout"}';
const confirmed = (outcome: string) => `gateway_compaction_confirmed_total{outcome="${outcome}"}`;
const duration = (le: string) => `gateway_compaction_duration_seconds_bucket{layer="hygiene",le="${le}"}`;
const estimate = (le: string) => `gateway_context_estimate_error_ratio_bucket{model="m",le="${le}"}`;
const prompts = 'gateway_context_utilization_ratio_count{model="m"}';
const fitting = 'gateway_context_utilization_ratio_bucket{model="m",le="1"}';
const tokens = (type: string) => `gateway_llm_tokens_total{purpose="turn",type="${type}"}`;
const letters = (instance: string) => `gateway_dead_letters{kind="outbox",instance="${instance}"}`;

const cases: Record<string, Case> = {
  NothingAnswers: {
    fires: {
      'up{job="palimpsest",instance="a"}': '1x3 0x7',
      'up{job="palimpsest",instance="b"}': '1x3 stale',
    },
    quiet: { 'up{job="palimpsest",instance="a"}': '1x3 0x7', 'up{job="palimpsest",instance="b"}': '1x10' },
    at: '8m',
  },
  MessagesWait: {
    fires: { 'gateway_mailbox_oldest_pending_age_seconds{platform="telegram"}': '0+60x10' },
    quiet: { 'gateway_mailbox_oldest_pending_age_seconds{platform="telegram"}': '0+60x6 0x4' },
    at: '9m',
    labels: { platform: 'telegram' },
  },
  TelegramPollSilent: {
    fires: { 'gateway_telegram_poll_last_success_timestamp_seconds{bot="1"}': '0+60x2 stale' },
    quiet: { 'gateway_telegram_poll_last_success_timestamp_seconds{bot="1"}': '0+60x10' },
    at: '6m',
    labels: { bot: '1' },
  },
  DiscordSilent: {
    fires: { 'gateway_discord_last_alive_timestamp_seconds{shard="0"}': '0+60x2 stale' },
    quiet: { 'gateway_discord_last_alive_timestamp_seconds{shard="0"}': '0+60x10' },
    at: '6m',
    labels: { shard: '0' },
  },
  DeliveryUnknown: {
    fires: { gateway_delivery_unknown: '1x15' },
    quiet: { gateway_delivery_unknown: '1x8 0x7' },
    at: '12m',
  },
  DeadLettersGrow: {
    fires: { [letters('a')]: '3x10 stale', [letters('b')]: '_x10 4x10' },
    // Another process reports them now.
    quiet: { [letters('a')]: '3x10 stale', [letters('b')]: '_x10 3x10' },
    at: '15m',
    labels: { kind: 'outbox' },
  },
  DiscordInvalidRequests: {
    fires: { 'gateway_discord_invalid_requests_total{status="401"}': '0+200x10' },
    quiet: { 'gateway_discord_invalid_requests_total{status="401"}': '0+50x10' },
    at: '10m',
  },
  TelegramConflicts: {
    fires: { 'gateway_telegram_conflicts_total{bot="1"}': '0+1x10' },
    quiet: { 'gateway_telegram_conflicts_total{bot="1"}': '0x5 1x5' },
    at: '10m',
    labels: { bot: '1' },
  },
  FencedWrites: {
    fires: { 'gateway_fenced_writes_total{what="turn"}': '0x5 1x5' },
    quiet: { 'gateway_fenced_writes_total{what="turn"}': '3x10' },
    at: '8m',
    labels: { what: 'turn' },
  },
  SummariesFail: {
    fires: { [attempts]: '0+1x40', [failures]: '0+1x40' },
    quiet: { [attempts]: '0+1x40', [failures]: '0x20 1x20' },
    at: '35m',
  },
  MessagesDroppedWithoutSummary: {
    fires: { 'gateway_compaction_messages_dropped_without_summary_total{layer="hygiene"}': '0x5 4x5' },
    quiet: { 'gateway_compaction_messages_dropped_without_summary_total{layer="hygiene"}': '4x10' },
    at: '7m',
  },
  OverflowNotRecovered: {
    fires: { 'gateway_context_overflow_errors_total{model="m",recovered="no"}': '0x5 1x5' },
    quiet: { 'gateway_context_overflow_errors_total{model="m",recovered="yes"}': '0x5 1x5' },
    at: '8m',
    labels: { model: 'm' },
  },
  PromptOverWindow: {
    fires: { [prompts]: '0+2x10', [fitting]: '0+1x10' },
    quiet: { [prompts]: '0+2x10', [fitting]: '0+2x10' },
    at: '8m',
    labels: { model: 'm' },
  },
  CompactionRests: {
    fires: { 'gateway_compaction_breaker_open_sessions{layer="hygiene"}': '1x20' },
    quiet: { 'gateway_compaction_breaker_open_sessions{layer="hygiene"}': '1x10 0x10' },
    at: '18m',
    labels: { layer: 'hygiene' },
  },
  CompactedAgainAndAgain: {
    fires: { 'gateway_compaction_reentry_seconds_bucket{layer="hygiene",le="300"}': '0x3 3x7' },
    quiet: { 'gateway_compaction_reentry_seconds_bucket{layer="hygiene",le="600"}': '0x3 3x7' },
    at: '8m',
  },
  CompactionIneffective: {
    fires: { [confirmed('ineffective')]: '0+1x30', [confirmed('success')]: '0+1x30' },
    quiet: { [confirmed('ineffective')]: '0+1x30', [confirmed('success')]: '0+9x30' },
    at: '30m',
  },
  CompactionSlow: {
    fires: { [duration('60')]: '0x30', [duration('120')]: '0+1x30', [duration('+Inf')]: '0+1x30' },
    quiet: { [duration('60')]: '0+1x30', [duration('120')]: '0+1x30', [duration('+Inf')]: '0+1x30' },
    at: '30m',
    labels: { layer: 'hygiene' },
  },
  EstimateOff: {
    fires: { [estimate('-0.3')]: '0x90', [estimate('-0.2')]: '0+1x90', [estimate('+Inf')]: '0+1x90' },
    quiet: { [estimate('-0.1')]: '0x90', [estimate('0')]: '0+1x90', [estimate('+Inf')]: '0+1x90' },
    at: '75m',
    labels: { model: 'm' },
  },
  CacheHitsFell: {
    fires: { [tokens('cache_read')]: '0+90x150 13500+50x20', [tokens('input')]: '0+10x150 1500+50x20' },
    quiet: { [tokens('cache_read')]: '0+90x150 13500+80x20', [tokens('input')]: '0+10x150 1500+20x20' },
    at: '28h',
    step: '10m',
  },
  TurnsCostMore: {
    fires: { 'gateway_llm_cost_usd_total{model="m"}': '0+1x99 100+9x20', gateway_turns_total: '0+1x120' },
    quiet: { 'gateway_llm_cost_usd_total{model="m"}': '0+1x99 100+2x20', gateway_turns_total: '0+1x120' },
    at: '19h',
    step: '10m',
  },
  BudgetNearlySpent: {
    fires: { 'gateway_budget_warnings_total{whose="person"}': '0x5 1x5' },
    quiet: { 'gateway_budget_warnings_total{whose="person"}': '2x10' },
    at: '8m',
    labels: { whose: 'person' },
  },
  LcmDebtOld: {
    fires: { 'gateway_lcm_debt_oldest_age_seconds{reason="leaf"}': '7300x5' },
    quiet: { 'gateway_lcm_debt_oldest_age_seconds{reason="leaf"}': '7100x5' },
    at: '3m',
    labels: { reason: 'leaf' },
  },
  LcmInvariantBroken: {
    fires: { 'gateway_lcm_invariant_violations{invariant="order"}': '1x5' },
    quiet: { 'gateway_lcm_invariant_violations{invariant="order"}': '0x5' },
    at: '3m',
    labels: { invariant: 'order' },
  },
  LcmBreakerOpen: {
    fires: { 'gateway_lcm_breaker_open{provider="p",model="m"}': '1x20' },
    quiet: { 'gateway_lcm_breaker_open{provider="p",model="m"}': '1x10 0x10' },
    at: '18m',
    labels: { provider: 'p', model: 'm' },
  },
  LcmFallsBack: {
    fires: {
      'gateway_lcm_escalations_total{level="deterministic"}': '0+1x50',
      'gateway_lcm_passes_total{kind="leaf"}': '0+2x50',
    },
    quiet: {
      'gateway_lcm_escalations_total{level="deterministic"}': '0+1x50',
      'gateway_lcm_passes_total{kind="leaf"}': '0+10x50',
    },
    at: '45m',
  },
};

interface Group {
  name: string;
  rules: { alert: string; labels: { severity: string }; annotations: { summary: string } }[];
}

const [recording, alerting] = ['rules.yml', 'alerts.yml'].map(
  (file) => (parse(readFileSync(join(folder, file), 'utf8')) as { groups: Group[] }).groups,
) as [Group[], Group[]];
const alerts = alerting.flatMap(({ rules }) => rules);

test('Prometheus takes the config, the rules and the alerts', () => {
  expect(promtool(['check', 'config', '--syntax-only', join(folder, 'prometheus.yml')]).output).toContain(
    'is valid',
  );
  const checked = promtool(['check', 'rules', join(folder, 'rules.yml'), join(folder, 'alerts.yml')]);
  expect([checked.code, checked.output]).toEqual([0, expect.not.stringContaining('FAILED')]);
});

test('every alert is tried, and its summary speaks of labels that it has', () => {
  expect(alerts.map(({ alert }) => alert)).toEqual(Object.keys(cases));
  for (const { alert, annotations } of alerts) {
    const named = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    expect([alert, Object.keys(cases[alert]?.labels ?? {})]).toEqual([alert, expect.arrayContaining(named)]);
  }
});

test.each(alerts)('$alert fires alone, and only then', ({ alert, labels: { severity } }) => {
  const { fires, quiet, labels = {}, ...rest } = cases[alert]!;
  const fired = { alertname: alert, alertstate: 'firing', severity, ...labels };

  const { code, output } = tryRules([
    { ...rest, name: 'fires', series: fires, firing: [fired] },
    { ...rest, name: 'quiet', series: quiet, firing: [] },
  ]);

  expect([code, output]).toEqual([0, expect.stringContaining('SUCCESS')]);
});

test.each(['PromptOverWindow', 'CompactedAgainAndAgain'])(
  '%s: bounds as Prometheus 3 spells them',
  (alert) => {
    const { fires, labels = {}, ...rest } = cases[alert]!;
    const spelled = Object.fromEntries(
      Object.entries(fires).map(([one, values]) => [one.replace(/le="(\d+)"/, 'le="$1.0"'), values]),
    );
    const fired = { alertname: alert, alertstate: 'firing', severity: 'ticket', ...labels };

    const { code, output } = tryRules([{ ...rest, name: 'fires', series: spelled, firing: [fired] }]);

    expect([code, output]).toEqual([0, expect.stringContaining('SUCCESS')]);
  },
);

test('no rule or board asks for one spelling of a bound alone', () => {
  const boards = readdirSync(join(folder, '../grafana/dashboards')).map(
    (file) => `../grafana/dashboards/${file}`,
  );
  for (const file of ['rules.yml', 'alerts.yml', ...boards])
    expect([file, readFileSync(join(folder, file), 'utf8')]).toEqual([
      file,
      expect.not.stringMatching(/le=\\?"\d+\\?"/),
    ]);
});

interface Trial {
  name: string;
  series: Series;
  at: string;
  step?: string;
  firing: Record<string, string>[];
}

function tryRules(trials: readonly Trial[]) {
  const scratch = mkdtempSync(join(tmpdir(), 'palimpsest-alerts-'));
  try {
    const file = join(scratch, 'trials.json');
    const rule_files = [join(folder, 'rules.yml'), join(folder, 'alerts.yml')];
    // With steps longer than a value is remembered (5 minutes), alerts must come after what they are made of.
    const group_eval_order = [...recording, ...alerting].map(({ name }) => name);
    const evaluation_interval = trials[0]?.step ?? '1m';
    const tests = trials.map(asTest);
    writeFileSync(file, JSON.stringify({ rule_files, group_eval_order, evaluation_interval, tests }));
    return promtool(['test', 'rules', file]);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function asTest({ name, series, at, step = '1m', firing }: Trial) {
  // A process answers, unless the case says of it what is.
  const all = Object.keys(series).some((one) => one.startsWith('up{'))
    ? series
    : { ...series, 'up{job="palimpsest",instance="a"}': '1x200' };
  const exp_samples = firing.map((labels) => ({ labels: `ALERTS${selector(labels)}`, value: 1 }));
  return {
    name,
    interval: step,
    input_series: Object.entries(all).map(([one, values]) => ({ series: one, values })),
    promql_expr_test: [{ expr: 'ALERTS{alertstate="firing"}', eval_time: at, exp_samples }],
  };
}

function selector(labels: Record<string, string>): string {
  return `{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(',')}}`;
}

/** Every metric and command that boards, rules and alerts speak of exists, with the labels and options they use. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createMeter, metricNames } from '@palimpsest/metrics';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { exportedNames } from '../../packages/metrics/src/set-gauges.ts';
import { buildProgram } from '../../apps/cli/src/program.ts';

const infra = fileURLToPath(new URL('../../infra/', import.meta.url));

interface Rule {
  record?: string;
  alert?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

function rulesIn(file: string): Rule[] {
  const { groups } = parse(readFileSync(`${infra}prometheus/${file}`, 'utf8')) as {
    groups: { name: string; rules: Rule[] }[];
  };
  return groups.flatMap((group) => group.rules);
}

interface Dashboard {
  uid: string;
  title: string;
  panels: { id: number; title: string; targets: { expr: string; legendFormat?: string }[] }[];
  annotations: { list: { expr: string }[] };
}

const recorded = rulesIn('rules.yml');
const alerts = rulesIn('alerts.yml');
const dashboards = readdirSync(`${infra}grafana/dashboards`).map(
  (file) => JSON.parse(readFileSync(`${infra}grafana/dashboards/${file}`, 'utf8')) as Dashboard,
);
const expressions = [
  ...recorded.map(({ record, expr }) => ({ where: `rule ${record}`, expr })),
  ...alerts.map(({ alert, expr }) => ({ where: `alert ${alert}`, expr })),
  ...dashboards.flatMap(({ title, panels, annotations }) => [
    ...panels.flatMap((panel) =>
      panel.targets.map(({ expr }) => ({ where: `${title}, ${panel.title}`, expr })),
    ),
    ...annotations.list.map(({ expr }) => ({ where: `${title}, annotation`, expr })),
  ]),
];

/** Name in an expression → entry of the table, without what a histogram appends; null: there is none. */
function entryOf(name: string) {
  const exact = metricNames[name];
  if (exact && exact.type !== 'histogram') return exact;
  const base = metricNames[name.replace(/_(bucket|sum|count)$/, '')];
  return base?.type === 'histogram' && base !== exact ? base : null;
}

/** `name{selector}` of our metrics in an expression. */
function selectorsIn(expr: string): { name: string; labels: string[] }[] {
  return [...expr.matchAll(/\b(gateway_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].map(([, name, selector]) => ({
    name: name!,
    labels: [...(selector ?? '').matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
  }));
}

describe.each(expressions)('$where', ({ expr }) => {
  test('names metrics that exist, by labels that they have', () => {
    const selectors = selectorsIn(expr);
    for (const { name, labels } of selectors) {
      const entry = entryOf(name);
      expect(entry, `${name} is not in the table`).not.toBeNull();
      expect([...(entry?.labels ?? []), 'le']).toEqual(expect.arrayContaining(labels));
    }
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/));
    const known = new Set([
      'le',
      'instance',
      ...selectors.flatMap(({ name }) => entryOf(name)?.labels ?? []),
    ]);
    for (const label of grouped) expect([...known]).toContain(label);
  });

  test('names recording rules that exist, and its brackets close', () => {
    const names = new Set(recorded.map(({ record }) => record));
    for (const [name] of expr.matchAll(/\bgateway:[a-z0-9_:]+/g)) expect([...names]).toContain(name);
    expect(expr.match(/\(/g)?.length ?? 0).toBe(expr.match(/\)/g)?.length ?? 0);
  });
});

test('what only one process reports, or each a part of, is joined before it is compared', () => {
  const exported = new Set<string>(exportedNames);
  for (const { where, expr } of expressions)
    for (const { 0: name, index } of expr.matchAll(/\bgateway_[a-z0-9_]+/g)) {
      const isJoined = /\b(max|sum)( by \([^)]*\))? ?\((increase\(|rate\()?$/.test(expr.slice(0, index));
      // A range over a gauge of one process breaks where another process takes it over.
      const isRange = /^[^,+*/-]*\[/.test(expr.slice(index + name.length).split(')')[0] ?? '');
      if (exported.has(name)) expect([where, isJoined, isRange]).toEqual([where, true, false]);
    }
  for (const { alert, expr } of alerts)
    if (/\bgateway_/.test(expr))
      expect([alert, expr]).toEqual([alert, expect.stringMatching(/\b(max|sum)\b/)]);
});

test('what an alert counts from the first event on is there at 0 before it: else the first would be no increase', async () => {
  const text = await createMeter({ strict: true }).text();
  const counted = alerts.flatMap(({ expr }) =>
    /(> 0|>= 2)$/.test(expr)
      ? [...expr.matchAll(/increase\((gateway_\w+?)(?:_bucket|_count)?[{[]/g)].map(([, name]) => name!)
      : [],
  );

  expect([...new Set(counted)]).toEqual([
    'gateway_fenced_writes_total',
    'gateway_compaction_messages_dropped_without_summary_total',
    'gateway_context_overflow_errors_total',
    'gateway_context_utilization_ratio',
    'gateway_compaction_reentry_seconds',
    'gateway_budget_warnings_total',
  ]);
  // Those of a model begin with its first call: which models there are is not known before.
  const ofModels = new Set(['gateway_context_overflow_errors_total', 'gateway_context_utilization_ratio']);
  for (const name of counted.filter((one) => !ofModels.has(one)))
    expect(text).toMatch(new RegExp(`^${name}(_bucket|_count)?\\{.*\\} 0$`, 'm'));
});

test('every metric of ours is on a board', () => {
  const shown = dashboards.flatMap(({ panels }) =>
    panels.flatMap((panel) => panel.targets.map(({ expr }) => expr)),
  );
  const all = [...shown, ...recorded.map(({ expr }) => expr)].join('\n');
  expect(Object.keys(metricNames).filter((name) => !all.includes(name))).toEqual([]);
});

test('metrics of the process that boards show are served', async () => {
  const text = await createMeter({ strict: true }).text();
  const shown = expressions.flatMap(({ expr }) => expr.match(/\b(nodejs|process)_[a-z0-9_]+/g) ?? []);
  expect(shown.length).toBeGreaterThan(0);
  for (const name of shown) expect(text).toContain(`\n${name}`);
});

test('each of the promised alerts is there, says what to do, and whether it wakes somebody', () => {
  expect(alerts.map(({ alert }) => alert)).toEqual([
    'NothingAnswers',
    'MessagesWait',
    'TelegramPollSilent',
    'DiscordSilent',
    'DeliveryUnknown',
    'DeadLettersGrow',
    'DiscordInvalidRequests',
    'TelegramConflicts',
    'FencedWrites',
    'SummariesFail',
    'MessagesDroppedWithoutSummary',
    'OverflowNotRecovered',
    'PromptOverWindow',
    'CompactionRests',
    'CompactedAgainAndAgain',
    'CompactionIneffective',
    'CompactionSlow',
    'EstimateOff',
    'CacheHitsFell',
    'TurnsCostMore',
    'BudgetNearlySpent',
    'LcmDebtOld',
    'LcmInvariantBroken',
    'LcmBreakerOpen',
    'LcmFallsBack',
  ]);
  for (const { alert, labels, annotations } of alerts) {
    expect([alert, ['page', 'ticket']]).toEqual([alert, expect.arrayContaining([labels?.['severity']])]);
    // Said in words: what is wrong, and what to do.
    expect([alert, annotations?.['summary']]).toEqual([alert, expect.stringMatching(/\S+ \S+/)]);
    expect([alert, annotations?.['action']]).toEqual([alert, expect.stringMatching(/\S+ \S+/)]);
  }
});

test('PromptOverWindow: all prompts less those that fit leave those over the window', async () => {
  const meter = createMeter({ strict: true });
  for (const share of [0.4, 1, 1.12, 2.26])
    meter.observe('gateway_context_utilization_ratio', share, { model: 'm' });

  const lines = (await meter.text()).split('\n');
  expect(lines).toContain('gateway_context_utilization_ratio_count{model="m"} 4');
  expect(lines).toContain('gateway_context_utilization_ratio_bucket{le="1",model="m"} 2');
});

/** What is wrong with a command line that a text names; null when it can be typed as it stands. */
function commandProblem(line: string): string | null {
  const words = line.split(/[\s;,.]+/);
  let at: Command = buildProgram({ env: {}, folder: '/' });
  while (at.commands.length > 0) {
    const word = words.shift() ?? '';
    const next = at.commands.find((command) => command.name() === word);
    if (!next) return `${at.name()} has no command "${word}"`;
    at = next;
  }
  const unknown = words.find(
    (word) => word.startsWith('--') && !at.options.some(({ long }) => long === word),
  );
  return unknown === undefined ? null : `${at.name()} has no option ${unknown}`;
}

test('commands that alerts, rules and boards name can be typed', () => {
  const texts = ['prometheus', 'grafana/dashboards'].flatMap((folder) =>
    readdirSync(infra + folder).map((file) => readFileSync(`${infra}${folder}/${file}`, 'utf8')),
  );
  const lines = texts.flatMap((text) =>
    [...text.matchAll(/\bpalimpsest ((?:(?!\bpalimpsest )[^'"\n;])+)/g)].map(([, line]) => line!),
  );

  expect(lines.length).toBeGreaterThan(8);
  expect(lines.map((line) => [line, commandProblem(line)]).filter(([, problem]) => problem !== null)).toEqual(
    [],
  );
  expect(commandProblem('explain compaction SESSION')).toBe('palimpsest has no command "explain"');
  expect(commandProblem('session list --sorted')).toBe('list has no option --sorted');
});

test('boards have names and panels of their own', () => {
  expect(dashboards.map(({ uid }) => uid).sort()).toEqual([
    'palimpsest-compaction',
    'palimpsest-cost',
    'palimpsest-flow',
    'palimpsest-lcm',
    'palimpsest-platforms',
  ]);
  for (const { panels } of dashboards) expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

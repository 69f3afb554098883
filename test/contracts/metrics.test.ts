import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HealthFigures } from '@palimpsest/core';
import { createMeter, exportFigures, metricNames } from '@palimpsest/metrics';
import { describe, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../../', import.meta.url));

const figures: HealthFigures = {
  mailboxPending: 7,
  oldestPendingSeconds: 2.5,
  outboxPending: 3,
  outboxUnknown: 1,
  outboxDead: 2,
  turnsRunning: 4,
  sessions: 11,
};

/** Lines of the exposition that speak of one name, comments aside. */
async function linesOf(meter: { text(): Promise<string> }, name: string): Promise<string[]> {
  return (await meter.text()).split('\n').filter((line) => line.startsWith(name));
}

/** One lease in memory: the first to ask holds it until it is passed on. */
class FakeLease {
  holder: string | null = null;

  async acquire(_name: string, owner: string): Promise<boolean> {
    this.holder ??= owner;
    return this.holder === owner;
  }
}

describe('the meter', () => {
  test('what is measured comes out in the Prometheus text format', async () => {
    const meter = createMeter({ strict: true });

    meter.count('gateway_compaction_tokens_reclaimed_total', { layer: 'hygiene' }, 1200);
    meter.count('gateway_compaction_tokens_reclaimed_total', { layer: 'hygiene' }, 300);
    meter.observe('gateway_compaction_ratio', 0.25, { layer: 'agent' });
    meter.set('gateway_compaction_inflight', 1, { layer: 'manual' });

    expect(await linesOf(meter, 'gateway_compaction_tokens_reclaimed_total')).toEqual([
      'gateway_compaction_tokens_reclaimed_total{layer="hygiene"} 1500',
    ]);
    expect(await linesOf(meter, 'gateway_compaction_ratio_bucket{le="0.3"')).toEqual([
      'gateway_compaction_ratio_bucket{le="0.3",layer="agent"} 1',
    ]);
    expect(await linesOf(meter, 'gateway_compaction_inflight')).toEqual([
      'gateway_compaction_inflight{layer="manual"} 1',
    ]);
    expect(meter.contentType).toContain('text/plain');
  });

  test('process metrics with the event loop lag and the build are there from the start', async () => {
    const text = await createMeter({ strict: true, version: '1.2.3' }).text();

    expect(text).toContain('nodejs_eventloop_lag_seconds');
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).toContain('gateway_build_info{version="1.2.3"} 1');
  });

  test('two meters share nothing', async () => {
    const one = createMeter({ strict: true });
    const other = createMeter({ strict: true });

    one.count('gateway_compaction_undo_total');

    expect(await linesOf(other, 'gateway_compaction_undo_total')).toEqual([]);
  });

  test('a strict meter throws on an unknown name, a wrong type and an unknown label', () => {
    const meter = createMeter({ strict: true });

    expect(() => meter.count('gateway_nonsense_total')).toThrow('gateway_nonsense_total is not in the table');
    expect(() => meter.set('gateway_turns_total', 1)).toThrow('is a counter, used as a gauge');
    expect(() => meter.count('gateway_turns_total', { colour: 'red' })).toThrow('has no label colour');
  });

  test.each([
    ['a chat id', { what: '123456789' }],
    ['an id inside a word', { what: 'chat_4711471147' }],
    ['a session id', { what: '0199d3f2-7c1b-7a51-8a38-000000000001' }],
    ['a sentence', { what: 'Hello there, my name is Ann' }],
  ])('a strict meter refuses %s as a label value', (_name, labels) => {
    const meter = createMeter({ strict: true });

    expect(() => meter.count('gateway_fenced_writes_total', labels)).toThrow(
      'never label with an id or a text',
    );
  });

  test('a lenient meter counts what it drops and goes on', async () => {
    const meter = createMeter({ strict: false });

    meter.count('gateway_nonsense_total');
    meter.count('gateway_turns_total', { colour: 'red' });
    meter.observe('gateway_compaction_ratio', Number.NaN, { layer: 'agent' });
    meter.count('gateway_turns_total', { platform: 'local', outcome: 'answered' });

    expect(await linesOf(meter, 'gateway_metrics_dropped_total')).toEqual([
      'gateway_metrics_dropped_total{why="unknown_name"} 1',
      'gateway_metrics_dropped_total{why="wrong_labels"} 1',
      'gateway_metrics_dropped_total{why="wrong_value"} 1',
    ]);
    expect(await linesOf(meter, 'gateway_turns_total')).toEqual([
      'gateway_turns_total{platform="local",outcome="answered"} 1',
    ]);
  });

  test('series above the limit are dropped and counted, known ones keep counting', async () => {
    const meter = createMeter({ strict: true, maxSeries: 3 });

    meter.count('gateway_llm_cost_usd_total', { model: 'model-a', purpose: 'turn' });
    meter.count('gateway_llm_cost_usd_total', { model: 'model-b', purpose: 'turn' });
    meter.count('gateway_llm_cost_usd_total', { model: 'model-c', purpose: 'turn' });
    meter.count('gateway_llm_cost_usd_total', { model: 'model-a', purpose: 'turn' });

    expect(await linesOf(meter, 'gateway_llm_cost_usd_total')).toEqual([
      'gateway_llm_cost_usd_total{model="model-a",purpose="turn"} 2',
      'gateway_llm_cost_usd_total{model="model-b",purpose="turn"} 1',
    ]);
    expect(await linesOf(meter, 'gateway_metrics_dropped_total')).toEqual([
      'gateway_metrics_dropped_total{why="too_many_series"} 1',
    ]);
  });

  test('thousands of label values stay under two thousand series', async () => {
    const meter = createMeter({ strict: false });

    for (let index = 0; index < 5_000; index++) {
      meter.observe('gateway_context_utilization_ratio', 0.5, { model: `model-${index}` });
    }

    const ours = (await meter.text()).split('\n').filter((line) => line.startsWith('gateway_'));
    expect(ours.length).toBeLessThanOrEqual(2_001);
  });
});

describe('figures of the database', () => {
  test('the holder of the lease reports them', async () => {
    const meter = createMeter({ strict: true });

    const reports = await exportFigures(meter, {
      operators: { figures: async () => figures },
      leases: new FakeLease(),
      owner: 'a',
    });

    expect(reports).toBe(true);
    expect(await linesOf(meter, 'gateway_mailbox')).toEqual([
      'gateway_mailbox_pending_messages 7',
      'gateway_mailbox_oldest_pending_age_seconds 2.5',
    ]);
    expect(await linesOf(meter, 'gateway_delivery')).toEqual([
      'gateway_delivery_pending 3',
      'gateway_delivery_unknown 1',
    ]);
    expect(await linesOf(meter, 'gateway_dead_letters')).toEqual(['gateway_dead_letters{kind="outbox"} 2']);
  });

  test('of two processes one reports, and one that lost the lease reports nothing any more', async () => {
    const lease = new FakeLease();
    const operators = { figures: async () => figures };
    const first = createMeter({ strict: true });
    const second = createMeter({ strict: true });

    await exportFigures(first, { operators, leases: lease, owner: 'a' });
    await exportFigures(second, { operators, leases: lease, owner: 'b' });
    expect(await linesOf(first, 'gateway_sessions')).toEqual(['gateway_sessions 11']);
    expect(await linesOf(second, 'gateway_sessions')).toEqual([]);

    lease.holder = 'b';
    await exportFigures(first, { operators, leases: lease, owner: 'a' });
    await exportFigures(second, { operators, leases: lease, owner: 'b' });
    expect(await linesOf(first, 'gateway_sessions')).toEqual([]);
    expect(await linesOf(second, 'gateway_sessions')).toEqual(['gateway_sessions 11']);
  });

  test('a database that is away leaves no old figures behind', async () => {
    const meter = createMeter({ strict: true });
    const leases = new FakeLease();
    await exportFigures(meter, { operators: { figures: async () => figures }, leases, owner: 'a' });

    const away = { figures: () => Promise.reject(new Error('away')) };
    await expect(exportFigures(meter, { operators: away, leases, owner: 'a' })).rejects.toThrow('away');

    expect(await linesOf(meter, 'gateway_mailbox')).toEqual([]);
  });
});

describe('the table', () => {
  test('names follow the rules of Prometheus', () => {
    for (const [name, entry] of Object.entries(metricNames)) {
      expect(name).toMatch(/^gateway_[a-z0-9_]+$/);
      expect([name, name.endsWith('_total')]).toEqual([name, entry.type === 'counter']);
      expect([name, entry.buckets !== undefined]).toEqual([name, entry.type === 'histogram']);
      expect(entry.help).not.toBe('');
    }
  });

  test('bounds of the compaction histograms are those of the operations page', () => {
    expect(metricNames['gateway_compaction_tokens_before']?.buckets).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 1_024_000, 2_048_000,
    ]);
    expect(metricNames['gateway_compaction_duration_seconds']?.buckets?.at(0)).toBe(0.1);
    expect(metricNames['gateway_compaction_duration_seconds']?.buckets?.at(-1)).toBe(120);
  });

  const calls = sourceFiles().flatMap((file) => meterCalls(file));

  test('the code was read: it measures compactions and deliveries', () => {
    const names = calls.map((call) => call.name);
    expect(names).toContain('gateway_compaction_attempts_total');
    expect(names).toContain('gateway_delivery_attempts_total');
  });

  test.each(calls)('$where uses $name as the table says', (call) => {
    const entry = metricNames[call.name];
    expect(entry, `${call.name} is missing in the table`).toBeDefined();
    expect(entry?.type).toBe({ count: 'counter', observe: 'histogram', set: 'gauge' }[call.method]);
    expect(entry?.labels).toEqual(expect.arrayContaining(call.labels));
  });
});

interface MeterCall {
  where: string;
  method: 'count' | 'observe' | 'set';
  name: string;
  labels: string[];
}

function sourceFiles(): string[] {
  return ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(repository, folder)).flatMap((name) => {
      const source = join(repository, folder, name, 'src');
      return readdirSync(source, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !(name === 'metrics' && file === 'export-figures.ts'))
        .map((file) => join(source, file));
    }),
  );
}

/** Every `meter.count|observe|set('name', …)` of a file, with the keys of its label object. */
function meterCalls(file: string): MeterCall[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/meter\s*\??\.\s*(count|observe|set)\(\s*(['"`])([\w$`{}.]+)\2/g);
  return [...found].map((match) => {
    const line = text.slice(0, match.index).split('\n').length;
    const call = balanced(text, match.index + match[0].indexOf('('));
    return {
      where: `${file.slice(repository.length)}:${line}`,
      method: match[1] as MeterCall['method'],
      name: match[3]!,
      labels: labelKeys(call.slice(call.indexOf(',') + 1), text),
    };
  });
}

/** The text from an opening bracket to its closing one. */
function balanced(text: string, start: number): string {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    if ('([{'.includes(text[index]!)) depth++;
    if (')]}'.includes(text[index]!) && --depth === 0) return text.slice(start, index + 1);
  }
  return text.slice(start);
}

/** Keys of the first object literal in the arguments; `...name` is looked up as `const name = {…}` in the file. */
function labelKeys(args: string, text: string): string[] {
  const start = args.indexOf('{');
  if (start < 0) {
    const named = /,?\s*(\w*[lL]abels)\b/.exec(args)?.[1];
    return named ? spreadKeys(named, text) : [];
  }
  const inside = balanced(args, start).slice(1, -1);
  return topLevelPieces(inside).flatMap((piece) => {
    const spread = /^\.\.\.(\w+)$/.exec(piece)?.[1];
    if (spread) return spreadKeys(spread, text);
    const key = /^(\w+)\s*(:|$)/.exec(piece)?.[1];
    return key ? [key] : [];
  });
}

function spreadKeys(name: string, text: string): string[] {
  const declared = new RegExp(`const ${name}[^=]*=\\s*\\{`).exec(text);
  if (!declared)
    throw new Error(`the labels ${name} of a meter call are not declared as an object in the same file`);
  return labelKeys(balanced(text, declared.index + declared[0].length - 1), text);
}

function topLevelPieces(text: string): string[] {
  const pieces = [''];
  let depth = 0;
  for (const character of text) {
    if ('([{'.includes(character)) depth++;
    if (')]}'.includes(character)) depth--;
    if (character === ',' && depth === 0) pieces.push('');
    else pieces[pieces.length - 1] += character;
  }
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
}

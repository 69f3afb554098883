import type { GaugeFigures, LcmProblem } from '@palimpsest/core';
import { createMeter, exportFigures, exportViolations } from '@palimpsest/metrics';
import { describe, expect, test } from 'vitest';

const figures: GaugeFigures = {
  mailbox: [
    { platform: 'telegram', pending: 7, oldestSeconds: 2.5 },
    { platform: 'local', pending: 0, oldestSeconds: 0 },
  ],
  delivery: [{ platform: 'discord', pending: 3, oldestSeconds: 12 }],
  deliveryUnknown: 1,
  dead: { mailbox: 4, outbox: 2, hook: 5 },
  turnsRunning: 4,
  sessions: 11,
  overThreshold: { agent: 6, hygiene: 1 },
  resting: { agent: 2, hygiene: 0, background: 3 },
  lcmDebts: [{ reason: 'leaf-trigger', sessions: 2, oldestSeconds: 30 }],
  lcmBreakers: [{ provider: 'anthropic', model: 'claude-haiku-4-5', isOpen: true }],
  lcmSpendBackoffs: 1,
  acts: [{ act: 'erase', via: 'cli', times: 2 }],
  lcmSessions: ['20261130_010203_0123abcd'],
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
    meter.add('gateway_compaction_inflight', 1, { layer: 'manual' });
    meter.add('gateway_compaction_inflight', 1, { layer: 'manual' });
    meter.add('gateway_compaction_inflight', -1, { layer: 'manual' });

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
      operators: { gauges: async () => figures },
      leases: new FakeLease(),
      owner: 'a',
    });

    expect(reports?.sessions).toBe(11);
    expect(await linesOf(meter, 'gateway_mailbox')).toEqual([
      'gateway_mailbox_pending_messages{platform="telegram"} 7',
      'gateway_mailbox_pending_messages{platform="local"} 0',
      'gateway_mailbox_oldest_pending_age_seconds{platform="telegram"} 2.5',
      'gateway_mailbox_oldest_pending_age_seconds{platform="local"} 0',
    ]);
    expect(await linesOf(meter, 'gateway_delivery')).toEqual([
      'gateway_delivery_pending{platform="discord"} 3',
      'gateway_delivery_oldest_pending_age_seconds{platform="discord"} 12',
      'gateway_delivery_unknown 1',
    ]);
    expect(await linesOf(meter, 'gateway_dead_letters')).toEqual([
      'gateway_dead_letters{kind="mailbox"} 4',
      'gateway_dead_letters{kind="outbox"} 2',
      'gateway_dead_letters{kind="hook"} 5',
    ]);
    expect(await linesOf(meter, 'gateway_context_sessions_over_threshold')).toEqual([
      'gateway_context_sessions_over_threshold{layer="agent"} 6',
      'gateway_context_sessions_over_threshold{layer="hygiene"} 1',
    ]);
    expect(await linesOf(meter, 'gateway_compaction_breaker_open_sessions')).toEqual([
      'gateway_compaction_breaker_open_sessions{layer="agent"} 2',
      'gateway_compaction_breaker_open_sessions{layer="hygiene"} 0',
      'gateway_compaction_breaker_open_sessions{layer="background"} 3',
    ]);
    expect(await linesOf(meter, 'gateway_lcm')).toEqual([
      'gateway_lcm_debt_sessions{reason="leaf-trigger"} 2',
      'gateway_lcm_debt_oldest_age_seconds{reason="leaf-trigger"} 30',
      'gateway_lcm_breaker_open{provider="anthropic",model="claude-haiku-4-5"} 1',
      'gateway_lcm_spend_backoff_sessions 1',
    ]);
  });

  test('a debt that was paid is not reported any more', async () => {
    const meter = createMeter({ strict: true });
    const leases = new FakeLease();
    await exportFigures(meter, { operators: { gauges: async () => figures }, leases, owner: 'a' });

    const paid = { gauges: async () => ({ ...figures, lcmDebts: [], lcmBreakers: [] }) };
    await exportFigures(meter, { operators: paid, leases, owner: 'a' });

    expect(await linesOf(meter, 'gateway_lcm_debt')).toEqual([]);
    expect(await linesOf(meter, 'gateway_lcm_breaker_open')).toEqual([]);
  });

  test('each broken rule of the graphs is counted over the sessions, and a whole graph says 0', async () => {
    const meter = createMeter({ strict: true });
    const broken: LcmProblem = {
      check: 'edge_order',
      severity: 'broken',
      summaryId: 'sum_1',
      messageId: null,
    };
    const weak: LcmProblem = {
      check: 'fallback_summary',
      severity: 'weak',
      summaryId: 'sum_2',
      messageId: null,
    };

    await exportViolations(meter, { doctor: async (id) => (id === 'a' ? [broken, weak] : [broken]) }, [
      'a',
      'b',
    ]);

    const lines = await linesOf(meter, 'gateway_lcm_invariant_violations');
    expect(lines).toHaveLength(10);
    expect(lines).toContain('gateway_lcm_invariant_violations{invariant="edge_order"} 2');
    expect(lines).toContain('gateway_lcm_invariant_violations{invariant="message_not_covered"} 0');
  });

  test('of two processes one reports, and one that lost the lease reports nothing any more', async () => {
    const lease = new FakeLease();
    const operators = { gauges: async () => figures };
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
    await exportFigures(meter, { operators: { gauges: async () => figures }, leases, owner: 'a' });

    const away = { gauges: () => Promise.reject(new Error('away')) };
    await expect(exportFigures(meter, { operators: away, leases, owner: 'a' })).rejects.toThrow('away');

    expect(await linesOf(meter, 'gateway_mailbox')).toEqual([]);
  });
});

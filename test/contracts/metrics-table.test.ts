import { metricNames } from '@palimpsest/metrics';
import { describe, expect, test } from 'vitest';
import { findMeterCalls } from '../support/meter-calls.ts';

describe('the table', () => {
  test('names follow the rules of Prometheus', () => {
    for (const [name, entry] of Object.entries(metricNames)) {
      expect(name).toMatch(/^gateway_[a-z0-9_]+$/);
      expect([name, name.endsWith('_total')]).toEqual([name, entry.type === 'counter']);
      expect([name, entry.buckets !== undefined]).toEqual([name, entry.type === 'histogram']);
      expect(entry.help).not.toBe('');
    }
  });

  const calls = findMeterCalls();

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

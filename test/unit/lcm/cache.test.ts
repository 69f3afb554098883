import { lcmSchema, noUsage, type LcmTelemetry, type Usage } from '@palimpsest/core';
import { expect, test } from 'vitest';
import {
  breakCache,
  cacheNow,
  cacheRestMs,
  observeCache,
  unknownCache,
} from '../../../packages/engines/src/lcm/cache-state.ts';
import {
  decideIncremental,
  type IncrementalInput,
} from '../../../packages/engines/src/lcm/decide-incremental.ts';

const rules = { ttlMs: 300_000, coldObservations: 3 };
const start = Date.parse('2026-03-02T12:00:00Z');
const after = (seconds: number): Date => new Date(start + seconds * 1000);
const usage = (read: number, write: number, prompt = 1_000): Usage => ({
  ...noUsage,
  promptTokens: prompt,
  outputTokens: 10,
  cacheReadTokens: read,
  cacheWriteTokens: write,
});

function seen(...usages: readonly Usage[]): LcmTelemetry {
  return usages.reduce(
    (telemetry, one, index) => observeCache(telemetry, one, { now: after(index), rules }),
    unknownCache('p', 'm'),
  );
}

test('a read or a write makes the cache hot, neither makes it cold, nothing known leaves it unknown', () => {
  expect(seen(usage(800, 0)).cacheState).toBe('hot');
  expect(seen(usage(0, 500)).cacheState).toBe('hot');
  expect(seen(usage(0, 0)).cacheState).toBe('cold');
  expect(seen(usage(150, 0)).cacheState).toBe('cold');
  expect(seen(usage(0, 0, 0)).cacheState).toBe('unknown');
});

test('after a hit two misses are forgiven, the third is not', () => {
  expect(seen(usage(800, 0), usage(0, 0), usage(0, 0)).cacheState).toBe('hot');
  expect(seen(usage(800, 0), usage(0, 0), usage(0, 0), usage(0, 0)).cacheState).toBe('cold');
});

test('a hit counts until its time is up, or until the context was changed', () => {
  const hot = seen(usage(800, 0));

  expect(cacheNow(hot, after(299), rules)).toBe('hot');
  expect(cacheNow(hot, after(300), rules)).toBe('cold');
  expect(cacheRestMs(hot, after(100), rules)).toBe(200_000);
  expect(cacheNow(breakCache(hot, after(10)), after(11), rules)).toBe('cold');
});

function decide(changes: Partial<IncrementalInput>) {
  return decideIncremental({
    rawOutsideTail: 25_000,
    leafTriggerTokens: 20_000,
    promptTokens: 90_000,
    triggerTokens: 96_000,
    budgetTokens: 115_000,
    cache: 'unknown',
    settings: lcmSchema.parse({}).cache_aware_compaction,
    mostPasses: 12,
    ...changes,
  });
}

test('below a chunk nothing is done', () => {
  expect(decide({ rawOutsideTail: 19_999 })).toEqual({ kind: 'nothing' });
});

test('above the threshold work is done whatever the cache', () => {
  expect(decide({ promptTokens: 130_000, cache: 'hot' })).toEqual({
    kind: 'work',
    reason: 'budget-trigger',
    passes: 2,
    condense: true,
  });
});

test('a hot cache waits while there is room, then until the backlog is four chunks', () => {
  expect(decide({ cache: 'hot', promptTokens: 92_000 })).toEqual({
    kind: 'defer',
    reason: 'hot-cache-budget-headroom',
  });
  expect(decide({ cache: 'hot', promptTokens: 95_000, rawOutsideTail: 79_999 })).toEqual({
    kind: 'defer',
    reason: 'hot-cache-defer',
  });
  expect(decide({ cache: 'hot', promptTokens: 95_000, rawOutsideTail: 80_000 })).toEqual({
    kind: 'work',
    reason: 'leaf-trigger',
    passes: 1,
    condense: false,
  });
});

test('a cold cache catches up, an unknown one does one pass', () => {
  expect(decide({ cache: 'cold' })).toMatchObject({ passes: 2, condense: true });
  expect(decide({ cache: 'unknown' })).toMatchObject({ passes: 1, condense: true });
});

test('switched off, the cache holds nothing back', () => {
  const settings = { ...lcmSchema.parse({}).cache_aware_compaction, enabled: false };

  expect(decide({ cache: 'hot', settings })).toMatchObject({ kind: 'work', passes: 1, condense: true });
});

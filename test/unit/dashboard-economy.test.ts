import { expect, test } from 'vitest';
import { economyOf } from '../../apps/dashboard/src/board/with-economy.ts';

const row = {
  layer: 'agent',
  mainModel: 'main',
  summaryModel: 'small',
  compactions: 2,
  summaryInputTokens: 100_000,
  summaryOutputTokens: 10_000,
  keptTokens: 60_000,
  reclaimedTokens: 200_000,
  savedTokens: 3_000_000,
  laterCalls: 30,
  laterTurns: 12,
} as const;
// Dollars per million tokens.
const main = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const small = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };

test('a compaction costs its summary and a new cache entry, and pays back by reads of the cache that are no longer made', () => {
  const economy = economyOf(row, main, small);

  expect(economy.summaryDollars).toBeCloseTo(0.15, 9);
  expect(economy.rewriteDollars).toBeCloseTo(0.225, 9);
  // 200,000 tokens at 0.30: 0.06 for each call after both.
  expect(economy.savedPerCallDollars).toBeCloseTo(0.03, 9);
  expect(economy.savedDollars).toBeCloseTo(0.9, 9);
  expect(economy.breakEvenCalls).toBeCloseTo(6.25, 9);
  // Turns took 2.5 calls each.
  expect(economy.breakEvenTurns).toBeCloseTo(2.5, 9);
});

test('what reclaimed nothing never pays for itself, and a summary without a model costs nothing', () => {
  const economy = economyOf({ ...row, summaryModel: null, reclaimedTokens: 0, savedTokens: 0 }, main, null);

  expect(economy).toMatchObject({
    summaryDollars: 0,
    savedDollars: 0,
    breakEvenCalls: null,
    breakEvenTurns: null,
  });
});

test('without a turn since nothing is told in turns', () => {
  const economy = economyOf({ ...row, savedTokens: 0, laterCalls: 0, laterTurns: 0 }, main, small);

  expect(economy.breakEvenCalls).toBeCloseTo(6.25, 9);
  expect(economy.breakEvenTurns).toBeNull();
});

import { expect, test } from 'vitest';
import {
  maxSummaryTokens,
  summaryBudget,
  summaryCapTokens,
} from '../../packages/engines/src/compressor/summary-budget.ts';
import { legacyTailTokens } from '../../packages/engines/src/compressor/tail-budget.ts';

test.each([
  [4_000, 200_000, 2_000],
  [30_000, 200_000, 6_000],
  [90_000, 200_000, 10_000],
  [500_000, 1_000_000, 12_000],
])('a summary of %i tokens in a window of %i is asked to have %i', (contentTokens, windowTokens, tokens) => {
  expect(summaryBudget({ contentTokens, windowTokens })).toBe(tokens);
});

test('in a small window the summary yields to 8 % of it', () => {
  expect([
    summaryBudget({ contentTokens: 4_000, windowTokens: 8_000 }),
    summaryCapTokens(8_000),
    summaryCapTokens(16_000),
  ]).toEqual([640, 640, 1_280]);
});

test('a stored summary may be half longer than the largest budget, and no longer', () => {
  expect([maxSummaryTokens(200_000), summaryCapTokens(200_000)]).toEqual([10_000, 15_000]);
});

test('the legacy tail is not clamped to a share of the window', () => {
  expect(legacyTailTokens({ triggerTokens: 150_000, targetRatio: 0.8, windowTokens: 200_000 })).toBe(120_000);
});

test('in a small window the tail is at most 60 % of the trigger', () => {
  expect(legacyTailTokens({ triggerTokens: 6_000, targetRatio: 0.8, windowTokens: 8_000 })).toBe(3_600);
});

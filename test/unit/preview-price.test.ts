/** What a compaction would cost, before it is made. */
import type { ModelPrice } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { previewPrice, priceWords } from '../../packages/turn/src/preview-price.ts';
import { sayIn } from '@palimpsest/turn';

const large: ModelPrice = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const small: ModelPrice = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };
const english = sayIn({});
const work = {
  summaryCalls: 1,
  summaryInputTokens: 80_000,
  summaryOutputTokens: 4_000,
  rereadTokens: 20_000,
};

test('the summary is priced by its model, what is read anew by the main one as it is written to the cache', () => {
  const price = previewPrice(work, { summary: small, main: { caching: 'on, 5m', pricePerMillion: large } });

  // 80,000 × 1 + 4,000 × 5 = 100,000; 20,000 × 3.75 = 75,000; per million.
  expect(price).toEqual({ summaryDollars: 0.1, rereadTokens: 20_000, rereadDollars: 0.075 });
  expect(priceWords(price, english)).toBe('$0.100 for the summary, $0.075 for reading 20,000 tokens anew');
});

test('without a cache of ours what is read anew costs the input price', () => {
  const price = previewPrice(work, { summary: large, main: { caching: null, pricePerMillion: large } });

  // 80,000 × 3 + 4,000 × 15 = 300,000; 20,000 × 3 = 60,000.
  expect(price).toEqual({ summaryDollars: 0.3, rereadTokens: 20_000, rereadDollars: 0.06 });
});

test('several calls are priced each by its own length, where long prompts cost more', () => {
  const longPrompt = { aboveTokens: 50_000, input: 6, output: 30, cacheRead: 0.6, cacheWrite: 7.5 };
  const priceOf = (summaryCalls: number) =>
    previewPrice({ ...work, summaryCalls }, { summary: { ...large, longPrompt }, main: { caching: null } })
      .summaryDollars;

  // One of 80,000: 80,000 × 6 + 4,000 × 30. Four of 20,000: 80,000 × 3 + 4,000 × 15. None: nothing.
  expect([priceOf(1), priceOf(4), priceOf(0)]).toEqual([0.6, 0.3, 0]);
});

test('a model whose price nobody wrote down has none, and large and tiny sums are readable', () => {
  const none = previewPrice(work, { summary: undefined, main: { caching: null } });
  const half = previewPrice(work, { summary: undefined, main: { caching: null, pricePerMillion: large } });

  expect(none).toEqual({ summaryDollars: null, rereadTokens: 20_000, rereadDollars: null });
  expect(priceWords(none, english)).toBe('unknown');
  expect(priceWords(half, english)).toBe('unknown for the summary, $0.060 for reading 20,000 tokens anew');
  expect(priceWords({ summaryDollars: 12.3456, rereadTokens: 9, rereadDollars: 0.0002 }, english)).toBe(
    '$12.35 for the summary, under $0.001 for reading 9 tokens anew',
  );
  expect(priceWords({ summaryDollars: 0, rereadTokens: 9, rereadDollars: 0 }, english)).toBe(
    '$0.000 for the summary, $0.000 for reading 9 tokens anew',
  );
});

test('prices are written as the language of the reader writes them', () => {
  const price = { summaryDollars: 12.3456, rereadTokens: 20_000, rereadDollars: 0.0002 };
  const plain = (language: string) =>
    priceWords(price, sayIn({ language })).replaceAll(/[\u00A0\u202F]/g, ' ');

  expect(plain('de')).toBe('12,35 $ für die Zusammenfassung, unter 0,001 $ für 20.000 neu gelesene Token');
  expect(plain('fr')).toBe('12,35 $ pour le résumé, moins de 0,001 $ pour relire 20 000 tokens');
});

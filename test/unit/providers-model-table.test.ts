import { isClaude, modelFacts } from '@palimpsest/providers';
import { expect, test } from 'vitest';

import { families } from '../../packages/providers/src/models/families.ts';

const known: readonly [
  name: string,
  family: string,
  windowTokens: number,
  maxOutputTokens: number,
  cacheMinimum: number | null,
][] = [
  ['claude-sonnet-5', 'claude-sonnet-5', 1_000_000, 128_000, 1024],
  ['claude-sonnet-5-5', 'claude-sonnet-5-5', 1_000_000, 128_000, 1024],
  ['claude-opus-5', 'claude-opus-5', 1_000_000, 128_000, 512],
  ['claude-opus-5-5', 'claude-opus-5-5', 1_000_000, 128_000, 1024],
  ['claude-opus-4-6', 'claude-opus-4-6', 1_000_000, 128_000, 4096],
  ['claude-opus-4-7', 'claude-opus-4-7', 1_000_000, 128_000, 2048],
  ['claude-haiku-4-5-20251001', 'claude-haiku-4-5', 200_000, 64_000, 4096],
  ['claude-opus-4-20250514', 'claude-opus-4', 200_000, 32_000, 1024],
  ['anthropic/claude-sonnet-4.6', 'claude-sonnet-4-6', 1_000_000, 128_000, 1024],
  ['~anthropic/claude-haiku-latest', 'claude-haiku', 200_000, 64_000, 4096],
  ['us.anthropic.claude-opus-4-6-v1', 'claude-opus-4-6', 1_000_000, 128_000, 4096],
  ['gpt-5.5', 'gpt-5-5', 1_050_000, 128_000, null],
  ['openai/gpt-5.5-pro', 'gpt-5-5', 1_050_000, 128_000, null],
  ['gpt-5-2025-08-07', 'gpt-5', 400_000, 128_000, null],
  ['gpt-5.4-mini', 'gpt-5-4', 400_000, 128_000, null],
  ['gpt-4', 'gpt-4', 8_192, 4_096, null],
  ['gpt-4o-mini', 'gpt-4o', 128_000, 16_384, null],
  ['o3-mini', 'o3', 200_000, 100_000, null],
  ['google/gemini-3.8-flash', 'gemini-3-8-flash', 1_048_576, 65_536, null],
  ['x-ai/grok-4.7', 'grok-4-7', 500_000, 30_000, null],
  ['z-ai/glm-5.3:free', 'glm-5', 1_000_000, 131_072, null],
  ['moonshotai/kimi-k2.6', 'kimi-k2', 262_144, 65_536, null],
  ['llama3.1:8b', 'llama-3', 128_000, 8_192, null],
  ['meta-llama/llama-4-scout', 'llama-4', 327_680, 16_384, null],
  ['qwen/qwen3-coder-next', 'qwen3-coder', 262_144, 65_536, null],
  ['MiniMax-M3', 'minimax-m3', 1_000_000, 128_000, null],
];

for (const [name, family, windowTokens, maxOutputTokens, cacheMinimumTokens] of known) {
  test(`${name} is of the family ${family}`, () => {
    expect(modelFacts(name)).toMatchObject({
      family,
      windowTokens,
      maxOutputTokens,
      cacheMinimumTokens,
      source: 'table',
    });
  });
}

test('a model that nobody knows gets a window of 128,000 and says that it is a default', () => {
  expect(modelFacts('acme/wonder-7b')).toEqual({
    family: 'wonder-7b',
    maker: null,
    windowTokens: 128_000,
    maxOutputTokens: 8_192,
    cacheMinimumTokens: null,
    price: null,
    source: 'default',
  });
});

test('prices are dollars a million tokens, dearer for long prompts where the vendor says so', () => {
  expect(modelFacts('claude-sonnet-5').price).toEqual({
    input: 2,
    output: 10,
    cacheRead: 0.2,
    cacheWrite: 2.5,
  });
  expect(modelFacts('openai/gpt-5.6-sol').price).toEqual({
    input: 4,
    output: 20,
    cacheRead: 0.4,
    cacheWrite: 5,
    longPrompt: { aboveTokens: 272_000, input: 8, output: 30, cacheRead: 0.8, cacheWrite: 10 },
  });
  expect(modelFacts('gpt-oss-120b').price).toBeNull();
});

test("sizes and grades of a model understand each other's opaque items", () => {
  const names = ['gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6', 'gpt-5.5-pro'].map(
    (name) => modelFacts(name).family,
  );

  expect(names).toEqual(['gpt-5-6', 'gpt-5-6', 'gpt-5-6', 'gpt-5-5']);
});

test('every row of the table is whole: a window, an answer limit below it, prices that rise from reading to writing', () => {
  for (const { key, windowTokens, maxOutputTokens, price } of families) {
    expect(windowTokens, key).toBeGreaterThan(4_000);
    expect(maxOutputTokens, key).toBeLessThanOrEqual(windowTokens);
    if (price) expect(price.cacheRead, key).toBeLessThanOrEqual(price.input);
    if (price) expect(price.cacheWrite, key).toBeGreaterThanOrEqual(price.input);
    if (price?.longPrompt) expect(price.longPrompt.input, key).toBeGreaterThan(price.input);
  }
});

test('a family name inside another word is no match', () => {
  expect(modelFacts('foo1').source).toBe('default');
  expect(modelFacts('supernova').source).toBe('default');
});

test('Claude is known by name whoever serves it', () => {
  expect(
    ['claude-opus-5', 'anthropic/claude-sonnet-5', 'us.anthropic.claude-x', 'gpt-5.5', 'declaude'].map(
      isClaude,
    ),
  ).toEqual([true, true, true, false, false]);
});

import { isClaude, modelFacts } from '@palimpsest/providers';
import { expect, test } from 'vitest';

const known: readonly [
  name: string,
  family: string,
  windowTokens: number,
  maxOutputTokens: number,
  cacheMinimum: number | null,
][] = [
  ['claude-sonnet-5', 'claude-sonnet-5', 1_000_000, 128_000, 1024],
  ['claude-sonnet-5-5', 'claude-sonnet-5', 1_000_000, 128_000, 1024],
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
  ['gpt-5.4-mini', 'gpt-5-4-mini', 400_000, 128_000, null],
  ['gpt-4', 'gpt-4', 8_192, 4_096, null],
  ['gpt-4o-mini', 'gpt-4o', 128_000, 16_384, null],
  ['o3-mini', 'o3', 200_000, 100_000, null],
  ['google/gemini-3.8-flash', 'gemini', 1_048_576, 65_536, null],
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
    expect(modelFacts(name)).toEqual({
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
    windowTokens: 128_000,
    maxOutputTokens: 8_192,
    cacheMinimumTokens: null,
    source: 'default',
  });
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

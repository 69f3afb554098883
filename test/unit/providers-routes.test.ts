import { defaultConfig, parseConfig, systemClock } from '@palimpsest/core';
import type { Config, ModelInfo } from '@palimpsest/core';
import { createModelClient, createSummaryModel, startLine } from '@palimpsest/providers';
import type { ModelKeys } from '@palimpsest/providers';
import { expect, test } from 'vitest';

type ModelPart = Partial<Config['model']>;
type AuxiliaryPart = Partial<Config['auxiliary']['compression']>;

function configOf(model: ModelPart, auxiliary: AuxiliaryPart = {}): Config {
  const config = defaultConfig();
  return {
    ...config,
    model: { ...config.model, ...model },
    auxiliary: { compression: { ...config.auxiliary.compression, ...auxiliary } },
  };
}

function mainOf(model: ModelPart, keys: ModelKeys): ModelInfo {
  return createModelClient({ config: configOf(model), keys, clock: systemClock, random: () => 0 }).info;
}

function summaryOf(model: ModelPart, auxiliary: AuxiliaryPart, keys: ModelKeys): string {
  const input = { config: configOf(model, auxiliary), keys, clock: systemClock, random: () => 0 };
  const main = createModelClient(input);
  const summary = createSummaryModel({ ...input, main });
  return summary === main ? 'the main client' : summary.info.label;
}

const all: ModelKeys = { anthropic: 'a', openai: 'o', openrouter: 'r' };

const chosen: readonly [what: string, model: ModelPart, keys: ModelKeys, label: string][] = [
  ['no key', {}, {}, 'offline responder'],
  ['every key', {}, all, 'anthropic/claude-sonnet-5'],
  ['OpenRouter and OpenAI', {}, { openrouter: 'r', openai: 'o' }, 'openrouter/anthropic/claude-sonnet-5'],
  ['OpenAI alone', {}, { openai: 'o' }, 'openai/gpt-5.5'],
  ['a model named', { name: 'claude-opus-5' }, all, 'anthropic/claude-opus-5'],
  ['a provider named', { provider: 'openai', name: 'gpt-5.6-sol' }, all, 'openai/gpt-5.6-sol'],
  ['offline asked for', { provider: 'offline' }, all, 'offline responder'],
  [
    'a server of its own and no key',
    { name: 'llama3.1', base_url: 'http://127.0.0.1:11434/v1' },
    {},
    'custom/llama3.1',
  ],
];

for (const [what, model, keys, label] of chosen) {
  test(`with ${what} the model is ${label}`, () => {
    expect(mainOf(model, keys).label).toBe(label);
  });
}

test('a window in the config wins over the table and says so', () => {
  expect(mainOf({ context_length: 50_000 }, all)).toMatchObject({
    windowTokens: 50_000,
    windowSource: 'config',
    maxOutputTokens: 50_000,
  });
  expect(mainOf({}, all)).toMatchObject({ windowTokens: 1_000_000, windowSource: 'table' });
  expect(mainOf({ provider: 'openrouter', name: 'acme/x' }, all)).toMatchObject({
    windowTokens: 128_000,
    windowSource: 'default',
  });
});

const broken: readonly [what: string, model: ModelPart, says: RegExp][] = [
  ['a named provider without its key', { provider: 'anthropic' }, /ANTHROPIC_API_KEY is not set/],
  ['a custom provider without an address', { provider: 'custom', name: 'x' }, /model\.base_url is not set/],
  [
    'a custom provider without a model',
    { provider: 'custom', base_url: 'http://127.0.0.1:1/v1' },
    /model\.name is not set/,
  ],
];

for (const [what, model, says] of broken) {
  test(`${what} is refused with what to do`, () => {
    expect(() => mainOf(model, {})).toThrow(says);
  });
}

test('sidecars are bound to provider, host, account and family', () => {
  const issuer = (model: ModelPart, key: string): string =>
    mainOf({ provider: 'anthropic', ...model }, { anthropic: key }).issuer;

  expect(issuer({}, 'k')).toMatch(/^anthropic\|api\.anthropic\.com\|[0-9a-f]{8}\|claude-sonnet-5$/);
  expect(
    new Set([
      issuer({}, 'k'),
      issuer({}, 'other'),
      issuer({ name: 'claude-opus-5' }, 'k'),
      issuer({ base_url: 'http://127.0.0.1:9' }, 'k'),
    ]).size,
  ).toBe(4);
  expect(issuer({}, 'secret-key')).not.toContain('secret');
});

const summaries: readonly [
  what: string,
  model: ModelPart,
  auxiliary: AuxiliaryPart,
  keys: ModelKeys,
  label: string,
][] = [
  ['nothing configured', {}, {}, all, 'the main client'],
  [
    'a Claude model and a Claude key',
    { provider: 'openai' },
    { model: 'claude-haiku-5-5' },
    all,
    'anthropic/claude-haiku-5-5',
  ],
  ['a GPT model and an OpenAI key', {}, { model: 'gpt-5.4-mini' }, all, 'openai/gpt-5.4-mini'],
  [
    'a vendor prefix and an OpenRouter key',
    {},
    { model: 'google/gemini-3.8-flash' },
    all,
    'openrouter/google/gemini-3.8-flash',
  ],
  [
    'a model whose key is missing',
    {},
    { model: 'gpt-5.4-mini' },
    { anthropic: 'a' },
    'anthropic/gpt-5.4-mini',
  ],
  ['provider main', {}, { provider: 'main', model: 'claude-haiku-5-5' }, all, 'anthropic/claude-haiku-5-5'],
  [
    'provider openrouter',
    {},
    { provider: 'openrouter', model: 'z-ai/glm-5.3' },
    all,
    'openrouter/z-ai/glm-5.3',
  ],
  ['a server of its own', {}, { base_url: 'http://127.0.0.1:9/v1', model: 'tiny' }, all, 'custom/tiny'],
  ['a model while the main one is offline', {}, { model: 'tiny' }, {}, 'the main client'],
];

for (const [what, model, auxiliary, keys, label] of summaries) {
  test(`summaries with ${what} come from ${label}`, () => {
    expect(summaryOf(model, auxiliary, keys)).toBe(label);
  });
}

test('the start-up screen tells whether prompts are cached', () => {
  expect(startLine(mainOf({}, all))).toBe('💾 Prompt caching: ENABLED (Claude via Anthropic, 5m TTL)');
  expect(startLine(mainOf({ provider: 'openrouter' }, all))).toBe(
    '💾 Prompt caching: ENABLED (Claude via OpenRouter, 5m TTL)',
  );
  expect(startLine(mainOf({ provider: 'openai' }, all))).toBe(
    '💾 Prompt caching: left to the provider (openai/gpt-5.5)',
  );
});

test.each(['off', 'null', 'false', '""'])(
  'cache_ttl %s switches off what would be marked, and the screen says so',
  (ttl) => {
    const infoOf = (provider: string): ModelInfo =>
      createModelClient({
        config: parseConfig(
          `model: { provider: ${provider} }\nprompt_caching: { cache_ttl: ${ttl} }`,
          'c.yaml',
        ),
        keys: all,
        clock: systemClock,
        random: () => 0,
      }).info;

    expect(startLine(infoOf('anthropic'))).toBe(
      '💾 Prompt caching: OFF (prompt_caching.cache_ttl; every prompt costs its full price)',
    );
    expect(startLine(infoOf('openai'))).toBe('💾 Prompt caching: left to the provider (openai/gpt-5.5)');
  },
);

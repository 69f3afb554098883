import { defaultConfig, silentLogger, systemClock, type Config, type Logger } from '@palimpsest/core';
import { createModelClient, createModelRegistry, createSummariser } from '@palimpsest/providers';
import { expect, test } from 'vitest';

const silent: typeof fetch = async () => new Response('', { status: 404 });

function registry(
  model: Partial<Config['model']>,
  more: { fetch?: typeof fetch; keys?: Record<string, string> } = {},
) {
  const warnings: unknown[] = [];
  const log = (fields: unknown, message: string): void => void warnings.push([fields, message]);
  const logger = { error: log, warn: log, info: () => {}, debug: () => {} } as unknown as Logger;
  const config = { ...defaultConfig(), model: { ...defaultConfig().model, ...model } };
  const keys = more.keys ?? { anthropic: 'k', openai: 'k' };
  const input = { config, keys, clock: systemClock, random: () => 0.5, fetch: more.fetch ?? silent };
  const models = createModelRegistry({ ...input, main: createModelClient(input), logger });
  return { models, warnings };
}

const claude = { provider: 'anthropic', name: 'claude-sonnet-5' } as const;

test('a model is found by its name on the route that serves it, and made once', () => {
  const { models } = registry(claude);

  expect(models.main.label).toBe('anthropic/claude-sonnet-5');
  expect(models.clientFor('claude-opus-5').info.label).toBe('anthropic/claude-opus-5');
  expect(models.clientFor('gpt-5.5').info).toMatchObject({
    label: 'openai/gpt-5.5',
    windowTokens: 1_050_000,
    pricePerMillion: { input: 5, output: 30 },
  });
  expect(models.clientFor('gpt-5.5')).toBe(models.clientFor('gpt-5.5'));
  expect(models.clientFor('openai:my-tuned').info.label).toBe('openai/my-tuned');
});

test('what no key serves is refused in words, and a session that wants it gets the main model', () => {
  const { models, warnings } = registry(claude);

  expect(models.find('llama3.1:8b')).toEqual({
    kind: 'refused',
    reason: 'not_served',
    why: 'No provider with a key is known to serve llama3.1:8b.',
  });
  expect(models.find('openrouter:a/b')).toMatchObject({ kind: 'refused' });
  expect(models.find('two words')).toMatchObject({ kind: 'refused' });
  expect(models.clientFor('llama3.1:8b')).toBe(models.mainClient);
  expect(warnings).toHaveLength(1);
});

test('where the operator listed models, only those can be chosen', () => {
  const { models } = registry({ ...claude, choices: ['claude-opus-5', 'gpt-5.5'] });

  expect(models.list().map(({ label }) => label)).toEqual([
    'anthropic/claude-sonnet-5',
    'anthropic/claude-opus-5',
    'openai/gpt-5.5',
  ]);
  expect(models.find('claude-haiku-4-5')).toEqual({
    kind: 'refused',
    reason: 'not_allowed',
    why: 'The operator allows: claude-opus-5, gpt-5.5.',
  });
});

test('a model is found by the label that lists show it with', () => {
  const { models } = registry({ ...claude, choices: ['claude-opus-5', 'openai:my-tuned'] });

  for (const { label } of models.list())
    expect(models.find(label)).toMatchObject({ kind: 'model', info: { label } });
  expect(models.clientFor('openai/my-tuned')).toBe(models.clientFor('openai:my-tuned'));
  expect(models.clientFor('anthropic/claude-sonnet-5')).toBe(models.mainClient);
  expect(models.find('openai/gpt-5.5')).toMatchObject({ kind: 'refused' });
});

test('a server of ones own is asked for any name', () => {
  const { models } = registry({ provider: 'custom', name: 'tiny', base_url: 'http://llm.lan/v1' });

  expect(models.clientFor('other:7b').info.label).toBe('custom/other:7b');
});

test('the window is what the server says, unless the config says one', async () => {
  const fetcher: typeof fetch = async () => Response.json({ data: [{ id: 'tiny', max_model_len: 32_768 }] });
  const server = { provider: 'custom', name: 'tiny', base_url: 'http://llm.lan/v1' } as const;
  const asked = registry(server, { fetch: fetcher });
  const told = registry({ ...server, context_length: 9_000 }, { fetch: fetcher });
  const off = registry({ ...server, ask_provider: false }, { fetch: fetcher });

  for (const { models } of [asked, told, off]) await models.learn();

  const windows = [asked, told, off].map(({ models }) => {
    const { windowTokens, windowSource } = models.mainClient.info;
    return [windowTokens, windowSource];
  });
  expect(windows).toEqual([
    [32_768, 'provider'],
    [9_000, 'config'],
    [128_000, 'default'],
  ]);
  expect(asked.warnings).toEqual([]);
  expect(off.warnings).toEqual([
    [
      { model: 'custom/tiny', windowTokens: 128_000 },
      'nothing is known of the model: its window is taken as 128,000 tokens; set model.context_length',
    ],
  ]);
});

test('what the operator knows of a model wins over the table', () => {
  const price = { input: 1, output: 2, cache_read: null, cache_write: 3 };
  const known = { context_length: 50_000, max_output_tokens: 4_000, cache_minimum_tokens: null, price };
  const { models } = registry({ ...claude, table: { 'claude-sonnet-5': known } });

  expect(models.main).toMatchObject({
    windowTokens: 50_000,
    windowSource: 'config',
    maxOutputTokens: 4_000,
    pricePerMillion: { input: 1, output: 2, cacheRead: 1, cacheWrite: 3 },
  });
});

test('a model for summaries on a server of its own has the window that this server says', async () => {
  const asked: string[] = [];
  const fetcher: typeof fetch = async (url) => {
    asked.push(String(url));
    return Response.json({ data: [{ id: 'tiny', max_model_len: 16_384 }] });
  };
  const config = defaultConfig();
  const input = {
    config: {
      ...config,
      model: { ...config.model, provider: 'custom' as const, name: 'tiny', base_url: 'http://main.lan/v1' },
      auxiliary: {
        compression: { ...config.auxiliary.compression, model: 'tiny', base_url: 'http://small.lan/v1' },
      },
    },
    keys: {},
    clock: systemClock,
    random: () => 0.5,
    fetch: fetcher,
  };
  const models = createModelRegistry({ ...input, main: createModelClient(input), logger: silentLogger });

  const summary = models.summaryClientFor(models.mainClient);
  const summariser = createSummariser(summary, { timeoutMs: 1_000, ceilingMs: 1_000 });

  await expect.poll(() => summariser.windowTokens).toBe(16_384);
  expect(models.mainClient.info).toMatchObject({ windowTokens: 128_000, windowSource: 'default' });
  expect(asked).toEqual(['http://small.lan/v1/models']);
});

test('a fallback model that no key serves is told of at the start', async () => {
  const { models, warnings } = registry({ ...claude, fallback: ['gpt-5.5'] }, { keys: { anthropic: 'k' } });

  await models.learn();

  expect(warnings).toEqual([
    [
      { model: 'gpt-5.5', why: 'No provider with a key is known to serve gpt-5.5.' },
      'a model of model.fallback cannot be used',
    ],
  ]);
});

test('names that people type are not kept without end', () => {
  const { models } = registry(claude);
  const first = models.clientFor('claude-x-0');

  for (let index = 1; index <= 200; index++) models.clientFor(`claude-x-${index}`);

  expect(models.clientFor('claude-x-200')).toBe(models.clientFor('claude-x-200'));
  expect(models.clientFor('claude-x-0')).not.toBe(first);
});

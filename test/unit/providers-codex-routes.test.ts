/** The names and windows of the Codex routes, and who may speak which wire. */
import { defaultConfig, systemClock } from '@palimpsest/core';
import type { Config, ModelInfo } from '@palimpsest/core';
import { createModelClient } from '@palimpsest/providers';
import { afterAll, expect, test } from 'vitest';

import { makeCodexHome } from '../support/codex-home.ts';
import { events, hurried, request, user } from '../support/model-world.ts';
import { openResponses } from '../support/responses-world.ts';

const home = makeCodexHome();
afterAll(() => home[Symbol.dispose]());

function infoOf(model: Partial<Config['model']>): ModelInfo {
  const config = { ...defaultConfig(), model: { ...defaultConfig().model, ...model } };
  const keys = { anthropic: 'k', openai: 'k', openrouter: 'k', custom: 'k', codexHome: home.path };
  return createModelClient({ config, keys, clock: systemClock, random: () => 0 }).info;
}

test.each([
  ['gpt-5.5', 272_000],
  ['gpt-5.4', 272_000],
  ['gpt-5.6-sol', 272_000],
  ['gpt-5.6-sol-900k', 872_000],
  ['gpt-5.6-terra-900k', 872_000],
  ['gpt-5.6-luna-900k', 872_000],
  ['gpt-5.4-900k', 872_000],
  // Names without a large variant: the suffix means nothing.
  ['gpt-5.5-900k', 272_000],
  ['gpt-5.4-mini-900k', 272_000],
  ['gpt-5.3-codex-spark', 128_000],
  ['gpt-6.2-sol', 500_000],
])('on the Codex route %s has %i tokens', (name, windowTokens) => {
  expect(infoOf({ provider: 'openai-codex', name })).toMatchObject({
    provider: 'openai-codex',
    name,
    windowTokens,
    windowSource: 'table',
  });
});

test('the same model elsewhere keeps its own window', () => {
  expect(infoOf({ provider: 'openai', name: 'gpt-5.5' }).windowTokens).toBe(1_050_000);
  expect(infoOf({ provider: 'openrouter', name: 'openai/gpt-5.5' }).windowTokens).toBe(1_050_000);
});

test('a window in the config wins', () => {
  const info = infoOf({ provider: 'openai-codex', name: 'gpt-5.6-sol-900k', context_length: 600_000 });

  expect(info).toMatchObject({ windowTokens: 600_000, windowSource: 'config' });
});

test.each(['gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.4'])('%s-900k costs what the base model costs', (name) => {
  const base = infoOf({ provider: 'openai-codex', name }).pricePerMillion;

  expect(base).toBeDefined();
  expect(infoOf({ provider: 'openai-codex', name: `${name}-900k` }).pricePerMillion).toEqual(base);
});

test('the suffix of a large variant never reaches the wire', async () => {
  await using world = await openResponses(() => ({ text: 'ok' }), {
    model: { provider: 'openai-codex', name: 'gpt-5.6-sol-900k' },
    clock: hurried,
  });

  await events(world.client, request([user('hi')]));

  expect(world.bodies()[0]?.['model']).toBe('gpt-5.6-sol');
});

test('a subscription is never chosen by itself', () => {
  const config = defaultConfig();
  const keys = { codexHome: home.path };

  expect(createModelClient({ config, keys, clock: systemClock, random: () => 0 }).info.provider).toBe(
    'offline',
  );
});

test.each([
  ['openai-codex', 'responses'],
  ['openai-codex', 'chat_completions'],
  ['openai', 'codex_responses'],
  ['anthropic', 'responses'],
  ['custom', 'codex_app_server'],
] as const)('%s does not speak %s, and the refusal names what it speaks', (provider, api_mode) => {
  const base_url = 'http://127.0.0.1:1/v1';

  expect(() => infoOf({ provider, api_mode, name: 'x', base_url })).toThrow(
    new RegExp(`model\\.api_mode is ${api_mode}, which provider ${provider} does not speak; allowed: auto, `),
  );
});

test('sealed items of the subscription belong to its account, threads to the folder of the program', () => {
  const before = infoOf({ provider: 'openai-codex', name: 'gpt-5.6-sol' }).issuer;
  const threads = infoOf({
    provider: 'openai-codex',
    name: 'gpt-5.6-sol',
    api_mode: 'codex_app_server',
  }).issuer;
  home.write({ accountId: 'account-2' });
  const after = infoOf({ provider: 'openai-codex', name: 'gpt-5.6-sol' }).issuer;
  home.write();

  expect(after).not.toBe(before);
  expect(threads).toMatch(/^openai-codex\|codex-app-server\|[0-9a-f]{8}\|threads$/);
});

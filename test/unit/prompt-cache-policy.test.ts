import { defaultConfig, type Config } from '@palimpsest/core';
import { expect, test } from 'vitest';

import { cachePolicyOf, type CachedRoute } from '../../packages/providers/src/prompt-cache/cache-policy.ts';

const anthropic: CachedRoute = {
  provider: 'anthropic',
  wire: 'anthropic_messages',
  baseUrl: 'https://api.anthropic.com',
  model: 'claude-sonnet-5',
  providerLabel: 'Anthropic',
};
const chat = { ...anthropic, wire: 'chat_completions' };

function policy(route: Partial<CachedRoute>, changes: Partial<Config['prompt_caching']> = {}) {
  return cachePolicyOf({ ...anthropic, ...route }, { ...defaultConfig().prompt_caching, ...changes });
}

const custom = { ...chat, provider: 'custom', providerLabel: 'the custom model server' };

test.each<[what: string, route: Partial<CachedRoute>, style: string | undefined]>([
  ['Claude at Anthropic', {}, 'native'],
  ['Claude at Anthropic in the chat format', { wire: 'chat_completions' }, undefined],
  ['Claude at OpenRouter', { ...chat, provider: 'openrouter', model: 'anthropic/claude-opus-5' }, 'envelope'],
  ['Kimi at OpenRouter', { ...chat, provider: 'openrouter', model: 'moonshotai/kimi-k3' }, 'envelope'],
  ['GPT at OpenRouter', { ...chat, provider: 'openrouter', model: 'openai/gpt-5.5' }, undefined],
  ['Qwen at OpenRouter', { ...chat, provider: 'openrouter', model: 'qwen/qwen3-coder' }, undefined],
  ['Claude at Nous', { ...chat, provider: 'nous', baseUrl: 'https://n.example/v1' }, 'envelope'],
  [
    'Qwen at Nous',
    { ...chat, provider: 'nous', baseUrl: 'https://n.example/v1', model: 'qwen3-coder' },
    'envelope',
  ],
  ['a gateway for Claude on its wire', { provider: 'custom', baseUrl: 'https://gate.example' }, 'native'],
  ['Claude behind LiteLLM', { ...custom, baseUrl: 'http://litellm.lan:4000/v1' }, 'envelope'],
  ['Claude behind an unknown server', { ...custom, baseUrl: 'http://llm.lan/v1' }, undefined],
  [
    'MiniMax M2 on that wire',
    { provider: 'custom', baseUrl: 'https://m.example', model: 'MiniMax-M2.7' },
    'native',
  ],
  ['MiniMax M3', { provider: 'custom', baseUrl: 'https://m.example', model: 'MiniMax-M3' }, undefined],
  [
    'Qwen at Alibaba',
    { ...custom, baseUrl: 'https://dashscope.aliyuncs.com/v1', model: 'qwen3-max' },
    'envelope',
  ],
  ['GPT at OpenAI', { ...chat, provider: 'openai', model: 'gpt-5.6-sol' }, undefined],
])('marks for %s', (_what, route, style) => {
  expect(policy(route)?.style).toBe(style);
});

test.each(['off', null] as const)('cache_ttl %s switches marks off', (cache_ttl) => {
  expect(policy({}, { cache_ttl })).toBeNull();
});

test('the label says model, route and life', () => {
  expect(policy({})?.label).toBe('Claude via Anthropic, 5m TTL');
  expect(
    policy({ ...chat, provider: 'openrouter', providerLabel: 'OpenRouter' }, { cache_ttl: '1h' })?.label,
  ).toBe('Claude via OpenRouter, 1h TTL');
  expect(policy({}, { system_ttl: '1h' })?.label).toBe('Claude via Anthropic, 5m TTL, system 1h');
});

test('messages never outlive the system prompt, and Qwen keeps five minutes', () => {
  expect(policy({}, { cache_ttl: '1h', system_ttl: '5m' })).toMatchObject({
    systemTtl: '1h',
    messageTtl: '1h',
  });
  const qwen = policy({ ...chat, provider: 'nous', model: 'qwen3-coder' }, { cache_ttl: '1h' });
  expect(qwen).toMatchObject({ systemTtl: '5m', messageTtl: '5m' });
});

test('the operator says what an unknown server takes', () => {
  const server = { ...custom, baseUrl: 'http://llm.lan/v1', model: 'my-model' };

  expect(policy(server, { custom_server: 'envelope' })).toMatchObject({
    style: 'envelope',
    markToolRows: true,
  });
  expect(policy(server, { custom_server: 'litellm' })).toMatchObject({
    style: 'envelope',
    markToolRows: false,
  });
  expect(policy(server, { custom_server: 'native' })).toBeNull();
  expect(policy({ ...server, wire: 'anthropic_messages' }, { custom_server: 'native' })?.style).toBe(
    'native',
  );
  expect(policy({ ...custom, baseUrl: 'http://litellm.lan/v1' }, { custom_server: 'none' })).toBeNull();
});

test('breakpoints are opt-in and for newer models of OpenAI', () => {
  const route = { ...chat, provider: 'openai', baseUrl: 'https://api.openai.com/v1' };

  expect(policy({ ...route, model: 'gpt-5.6-sol' }, { openai_breakpoints: true })?.style).toBe('breakpoints');
  expect(policy({ ...route, model: 'gpt-5.5' }, { openai_breakpoints: true })).toBeNull();
});

test('layouts of the native wire fall back elsewhere', () => {
  const openRouter = { ...chat, provider: 'openrouter' };

  expect(policy({}, { layout: 'automatic' })?.layout).toBe('automatic');
  expect(policy(openRouter, { layout: 'automatic' })?.layout).toBe('system_and_3');
  expect(policy(openRouter, { layout: 'split_system' })?.layout).toBe('split_system');
});

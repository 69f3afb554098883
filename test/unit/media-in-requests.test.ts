/** Pictures on their way to a model: which of them go along, and as what. */
import { describe, expect, test } from 'vitest';
import { PromptImages } from '@palimpsest/agent';
import { defaultConfig, type ModelRequest, type Part, type PromptMessage } from '@palimpsest/core';
import { newestImages } from '../../packages/agent/src/prompt-images.ts';
import { toRequest } from '../../packages/providers/src/anthropic/to-request.ts';
import { modelInfoOf } from '../../packages/providers/src/models/model-info.ts';
import { toMessages } from '../../packages/providers/src/openai-chat/to-messages.ts';
import { aPolicy } from '../support/cache-policy.ts';

const picture = (payloadId: string, bytes = 1_000): Part => ({
  type: 'payload',
  payloadId,
  mime: 'image/png',
  bytes,
  preview: `[picture ${payloadId}]`,
});
const said = (...parts: Part[]): PromptMessage => ({ role: 'user', parts });
const text = (value: string): Part => ({ type: 'text', text: value });
const images = new Map([['a', { mime: 'image/png', base64: 'iVBORw==' }]]);

function request(messages: readonly PromptMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { sessionId: 's', system: [], messages, tools: [], maxTokens: 100, purpose: 'turn', ...more };
}

describe("on Anthropic's wire", () => {
  const route = { model: 'claude-sonnet-5', issuer: 'here', cache: null };

  test('a picture stands behind its name', () => {
    const { messages } = toRequest(request([said(text('look'), picture('a'))], { images }), route);

    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'text', text: '[picture a]' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } },
        ],
      },
    ]);
  });

  test('one that does not go along is only named, and the model is told', () => {
    const { messages } = toRequest(request([said(picture('b'))], { images }), route);

    expect(messages).toEqual([
      {
        role: 'user',
        content: [{ type: 'text', text: '[picture b] (The picture itself is not shown to you.)' }],
      },
    ]);
  });

  test('a picture at the end carries the mark of the cache', () => {
    const cache = aPolicy();
    const { messages } = toRequest(request([said(picture('a'))], { images }), { ...route, cache });

    expect(messages[0]?.content).toMatchObject([
      { type: 'text', text: '[picture a]' },
      { type: 'image', cache_control: { type: 'ephemeral' } },
    ]);
  });
});

describe("on OpenAI's chat wire", () => {
  test('pictures follow the words of their message', () => {
    expect(toMessages(request([said(text('look'), picture('a'))], { images }), null)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look\n[picture a]' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
        ],
      },
    ]);
  });

  test('the mark of the cache sits on the words', () => {
    const messages = toMessages(request([said(picture('a'))], { images }), aPolicy());

    expect(messages).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'text', text: '[picture a]', cache_control: { type: 'ephemeral' } },
          { type: 'image_url' },
        ],
      },
    ]);
  });
});

describe('which of them go along', () => {
  const named = (count: number, bytes?: number): PromptMessage[] =>
    Array.from({ length: count }, (_, index) => said(picture(`p${index + 1}`, bytes)));

  test('twenty, each once', () => {
    expect(newestImages([...named(20), said(picture('p1'))])).toHaveLength(20);
  });

  test('beyond that ten old ones are dropped at once, so that the beginning seldom changes', () => {
    expect(newestImages(named(21))[0]).toBe('p11');
    expect(newestImages(named(30))[0]).toBe('p11');
    expect(newestImages(named(31))[0]).toBe('p21');
  });

  test('the newest that together stay within twelve megabytes', () => {
    expect(newestImages(named(5, 3_500_000))).toEqual(['p3', 'p4', 'p5']);
  });

  test('other payloads are no pictures', () => {
    const file: Part = { type: 'payload', payloadId: 'f', mime: 'text/plain', bytes: 3, preview: 'abc' };

    expect(newestImages([said(file)])).toEqual([]);
  });

  test('contents are read once a turn, and one that is gone is only named', async () => {
    const asked: string[][] = [];
    const seen = new PromptImages((ids) => {
      asked.push([...ids]);
      return Promise.resolve(new Map([['a', { mime: 'image/png', bytes: Buffer.from('PNG') }]]));
    });

    await seen.of([said(picture('a'), picture('gone'))]);
    const again = await seen.of([said(picture('a'), picture('gone'))]);

    expect(asked).toEqual([['a', 'gone']]);
    expect(again).toEqual(new Map([['a', { mime: 'image/png', base64: 'UE5H' }]]));
  });

  test('without pictures nothing is read', async () => {
    const seen = new PromptImages(() => Promise.reject(new Error('not asked')));

    expect(await seen.of([said(text('hi'))])).toBeUndefined();
    expect(seen.hide()).toBe(false);
  });

  test('once hidden they stay so', async () => {
    const seen = new PromptImages(() =>
      Promise.resolve(new Map([['a', { mime: 'image/png', bytes: Buffer.from('PNG') }]])),
    );
    await seen.of([said(picture('a'))]);

    expect(seen.hide()).toBe(true);
    expect(await seen.of([said(picture('a'))])).toBeUndefined();
    expect(seen.hide()).toBe(false);
  });
});

describe('which models take them', () => {
  function takes(model: string, table = defaultConfig().model.table): boolean {
    const route = { provider: 'custom', model, baseUrl: 'http://here/v1', apiKey: 'k' } as const;
    const config = { ...defaultConfig(), model: { ...defaultConfig().model, table } };
    return modelInfoOf({ ...route, windowTokens: null, cache: null }, config).takesImages ?? false;
  }

  test.each([
    ['claude-sonnet-5', true],
    ['gpt-5.6', true],
    ['gpt-4o-mini', true],
    ['google/gemini-3-pro', true],
    ['gpt-4', false],
    ['gpt-oss-120b', false],
    ['llama3.1:8b', false],
    ['nobody-knows', false],
  ])('%s: %s', (model, expected) => {
    expect(takes(model)).toBe(expected);
  });

  test('the operator knows better', () => {
    const known = { context_length: null, max_output_tokens: null, cache_minimum_tokens: null, price: null };

    expect(takes('my-vision', { 'my-vision': { ...known, images: true } })).toBe(true);
    expect(takes('gpt-5.6', { 'gpt-5.6': { ...known, images: false } })).toBe(false);
  });
});

/** Every route that summaries may take, against a strict fake of the server that stands at its end. */
import { defaultConfig, type Config } from '@palimpsest/core';
import { createModelClient, createSummariser, createSummaryModel } from '@palimpsest/providers';
import { startFakeModel, type FakeModelOptions } from '@palimpsest/testkit';
import { expect, test } from 'vitest';
import { hurried } from '../support/model-world.ts';

const keys = { anthropic: 'key-a', openai: 'key-o', openrouter: 'key-r', nous: 'key-n', custom: 'key-c' };
const own = 'http://summaries.example:8080/v1';

const messages = { dialect: 'anthropic' } as const;
const completions = { dialect: 'openai-chat' } as const;
const openRouter = { dialect: 'openai-chat', flavour: 'openrouter' } as const;

type Fake = Pick<FakeModelOptions, 'dialect' | 'flavour'>;
type Section = Partial<Config['auxiliary']['compression']>;

const routes: readonly [section: Section, fake: Fake, asked: string, key: string, model: string][] = [
  [{}, messages, 'https://api.anthropic.com/v1/messages', 'key-a', 'claude-sonnet-5'],
  [
    { provider: 'main', model: 'claude-haiku-5-5' },
    messages,
    'https://api.anthropic.com/v1/messages',
    'key-a',
    'claude-haiku-5-5',
  ],
  [
    { provider: 'auto', model: 'gpt-5.4-mini' },
    completions,
    'https://api.openai.com/v1/chat/completions',
    'key-o',
    'gpt-5.4-mini',
  ],
  [
    { provider: 'auto', model: 'google/gemini-3.8-flash' },
    openRouter,
    'https://openrouter.ai/api/v1/chat/completions',
    'key-r',
    'google/gemini-3.8-flash',
  ],
  [
    { provider: 'openrouter', model: 'z-ai/glm-5.3' },
    openRouter,
    'https://openrouter.ai/api/v1/chat/completions',
    'key-r',
    'z-ai/glm-5.3',
  ],
  [
    { provider: 'nous', base_url: own, model: 'hermes-5' },
    completions,
    `${own}/chat/completions`,
    'key-n',
    'hermes-5',
  ],
  [{ base_url: own, model: 'tiny' }, completions, `${own}/chat/completions`, 'key-c', 'tiny'],
];

test.each(routes)(
  'a summary with %j is written by the server of its route',
  async (section, fake, asked, key, model) => {
    await using server = await startFakeModel({
      ...fake,
      window: 100_000,
      script: () => ({ text: '## Goal\nkept' }),
    });
    const seen: { url: string; keys: string[] }[] = [];
    const input = {
      config: configWith(section),
      keys,
      clock: hurried,
      random: () => 0.5,
      fetch: (target: string | URL | Request, init?: RequestInit) => {
        const url = new URL(target instanceof Request ? target.url : target);
        const headers = new Headers(
          init?.headers ?? (target instanceof Request ? target.headers : undefined),
        );
        seen.push({ url: url.href.split('?')[0]!, keys: keysIn(headers) });
        return fetch(new URL(url.pathname.replace(/^\/api/, ''), server.baseUrl), init);
      },
    };
    const summariser = createSummariser(createSummaryModel({ ...input, main: createModelClient(input) }), {
      timeoutMs: 20_000,
      ceilingMs: 20_000,
    });

    const answer = await summariser.summarise(
      { system: 'Condense.', prompt: 'We said hello.', targetTokens: 200 },
      new AbortController().signal,
    );

    expect(answer).toMatchObject({ kind: 'text', text: '## Goal\nkept' });
    expect(summariser.model).toBe(model);
    expect(seen).toEqual([{ url: asked, keys: [key] }]);
  },
);

test('F2 a summary that a plain server gives as one string, without role, usage or parts, is taken', async () => {
  const chunk = { choices: [{ index: 0, delta: { content: '## Goal\nkept' }, finish_reason: 'stop' }] };
  const input = {
    config: configWith({ base_url: own, model: 'tiny' }),
    keys,
    clock: hurried,
    random: () => 0,
    fetch: () =>
      Promise.resolve(
        new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
          headers: { 'content-type': 'text/event-stream' },
        }),
      ),
  };
  const client = createSummaryModel({ ...input, main: createModelClient(input) });
  const summariser = createSummariser(client, { timeoutMs: 20_000, ceilingMs: 20_000 });

  const answer = await summariser.summarise(
    { system: 'Condense.', prompt: 'We said hello.', targetTokens: 200 },
    new AbortController().signal,
  );

  expect(answer).toEqual({ kind: 'text', text: '## Goal\nkept', usage: null });
});

test('provider nous without an address says which key is missing', () => {
  const input = {
    config: configWith({ provider: 'nous', model: 'hermes-5' }),
    keys,
    clock: hurried,
    random: () => 0,
  };
  const main = createModelClient(input);

  expect(() => createSummaryModel({ ...input, main })).toThrow(
    'auxiliary.compression.base_url is not set; provider nous needs the address of its OpenAI-compatible server',
  );
});

function configWith(section: Section): Config {
  const config = defaultConfig();
  return { ...config, auxiliary: { compression: { ...config.auxiliary.compression, ...section } } };
}

function keysIn(headers: Headers): string[] {
  const found = [headers.get('x-api-key'), headers.get('authorization')?.replace('Bearer ', '')];
  return found.filter((key) => typeof key === 'string');
}

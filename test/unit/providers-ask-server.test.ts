import { expect, test } from 'vitest';

import { chooseMainRoute } from '../../packages/providers/src/choose-route.ts';
import { askServer } from '../../packages/providers/src/models/ask-server.ts';
import type { Route } from '../../packages/providers/src/route.ts';
import { defaultConfig, type Config } from '@palimpsest/core';

function routeTo(model: Partial<Config['model']>): Route {
  const config = { ...defaultConfig(), model: { ...defaultConfig().model, ...model } };
  const choice = chooseMainRoute(config, { anthropic: 'k', openai: 'k', openrouter: 'k' });
  if (choice.kind !== 'route') throw new Error('no route');
  return choice.route;
}

/** A server that knows these paths; `asked` is filled with what was asked. */
function server(answers: Record<string, unknown>, asked: string[] = []): typeof fetch {
  return async (url, init) => {
    const { pathname } = new URL(String(url));
    asked.push(`${init?.method} ${pathname}`);
    const answer = answers[pathname];
    return answer === undefined ? new Response('', { status: 404 }) : Response.json(answer);
  };
}

const own = { provider: 'custom', name: 'tiny', base_url: 'http://llm.lan:8000/v1' } as const;

test('Anthropic says window and answer limit of the model', async () => {
  const asked: string[] = [];
  const answers = { '/v1/models/claude-sonnet-5': { max_input_tokens: 900_000, max_tokens: 64_000 } };

  const said = await askServer(
    routeTo({ provider: 'anthropic', name: 'claude-sonnet-5' }),
    server(answers, asked),
  );

  expect(said).toEqual({ windowTokens: 900_000, maxOutputTokens: 64_000 });
  expect(asked).toEqual(['GET /v1/models/claude-sonnet-5']);
});

test('OpenRouter says the smaller window of model and endpoint, and prices per token', async () => {
  const answers = {
    '/api/v1/models': {
      data: [
        { id: 'other/model', context_length: 5_000 },
        {
          id: 'acme/wonder',
          context_length: 200_000,
          top_provider: { context_length: 131_072, max_completion_tokens: 16_384 },
          pricing: { prompt: '0.000002', completion: '0.00001', input_cache_read: '0.0000002' },
        },
      ],
    },
  };

  const said = await askServer(routeTo({ provider: 'openrouter', name: 'acme/wonder' }), server(answers));

  expect(said).toMatchObject({ windowTokens: 131_072, maxOutputTokens: 16_384 });
  expect(said?.price?.input).toBeCloseTo(2);
  expect(said?.price?.output).toBeCloseTo(10);
  expect(said?.price?.cacheRead).toBeCloseTo(0.2);
  expect(said?.price?.cacheWrite).toBeCloseTo(2);
});

test.each<[string, Record<string, unknown>, number]>([
  ['vLLM', { '/v1/models': { data: [{ id: 'tiny', max_model_len: 32_768 }] } }, 32_768],
  [
    'llama.cpp',
    {
      '/v1/models': { data: [{ id: 'tiny', object: 'model' }] },
      '/props': { default_generation_settings: { n_ctx: 8_192 } },
    },
    8_192,
  ],
  [
    'LM Studio',
    {
      '/api/v0/models': { data: [{ id: 'tiny', max_context_length: 131_072, loaded_context_length: 4_096 }] },
    },
    4_096,
  ],
  ['Ollama, loaded', { '/api/ps': { models: [{ name: 'tiny', context_length: 16_384 }] } }, 16_384],
  ['Ollama, by its parameters', { '/api/show': { parameters: 'stop "x"\nnum_ctx    32768\n' } }, 32_768],
])('%s says its window', async (_who, answers, windowTokens) => {
  expect(await askServer(routeTo(own), server(answers))).toEqual({ windowTokens });
});

test.each<[string, typeof fetch]>([
  ['knows nothing', server({})],
  ['cannot be reached', () => Promise.reject(new Error('ECONNREFUSED'))],
  ['answers a page', async () => new Response('<html>')],
  ['answers nonsense', server({ '/v1/models': { data: [{ id: 'tiny', max_model_len: 'big' }, 7, null] } })],
])('a server that %s says nothing', async (_what, fetcher) => {
  expect(await askServer(routeTo(own), fetcher)).toBeNull();
});

test('OpenAI has no such question and is not asked', async () => {
  const asked: string[] = [];

  expect(await askServer(routeTo({ provider: 'openai', name: 'gpt-5.5' }), server({}, asked))).toBeNull();
  expect(asked).toEqual([]);
});

/** A fake Responses server behind the real addresses, so that rules about hosts hold in tests as they do outside. */
import { defaultConfig } from '@palimpsest/core';
import type { Clock, Config, ModelClient } from '@palimpsest/core';
import { createModelClient } from '@palimpsest/providers';
import { startFakeModel } from '@palimpsest/testkit';
import type { FakeModel, FakeModelOptions, ModelScript } from '@palimpsest/testkit';

import { makeCodexHome } from './codex-home.ts';
import type { CodexHome } from './codex-home.ts';
import { hurried } from './model-world.ts';

export interface ResponsesWorld extends AsyncDisposable {
  server: FakeModel;
  client: ModelClient;
  home: CodexHome;
  /** Bodies of the requests so far. */
  bodies(): Record<string, unknown>[];
  /** Another client on the same server, as after a restart or a switch. */
  reopen(model?: Partial<Config['model']>): ModelClient;
}

export interface ResponsesWishes {
  model?: Partial<Config['model']>;
  compression?: Partial<Config['compression']>;
  fake?: Partial<FakeModelOptions>;
  clock?: Clock;
  idleMs?: number;
  /** Answers the sign-in service. */
  renew?: (body: Record<string, string>) => { status: number; body: object };
}

const hosts = ['api.openai.com', 'chatgpt.com'];

export async function openResponses(
  script: ModelScript,
  wishes: ResponsesWishes = {},
): Promise<ResponsesWorld> {
  const codex = wishes.model?.provider === 'openai-codex';
  const server = await startFakeModel({
    dialect: 'openai-responses',
    flavour: codex ? 'codex' : 'openai',
    window: 400_000,
    maxOutput: 128_000,
    script,
    ...wishes.fake,
  });
  const home = makeCodexHome();
  const reopen = (model: Partial<Config['model']> = {}): ModelClient =>
    createModelClient({
      config: configOf(wishes, model),
      keys: { openai: 'key-1', custom: 'key-1', openrouter: 'key-1', codexHome: home.path },
      clock: wishes.clock ?? hurried,
      random: () => 0.5,
      idleMs: wishes.idleMs ?? 60_000,
      fetch: rerouted(server.baseUrl, wishes.renew),
    });
  const close = async (): Promise<void> => {
    home[Symbol.dispose]();
    await server.close();
  };
  const bodies = (): Record<string, unknown>[] =>
    server.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  return { server, home, client: reopen(), reopen, bodies, [Symbol.asyncDispose]: close };
}

function configOf(wishes: ResponsesWishes, more: Partial<Config['model']>): Config {
  const config = defaultConfig();
  const usual = { provider: 'openai', name: 'gpt-5.6-sol', api_mode: 'responses' } as const;
  const codex = wishes.model?.provider === 'openai-codex' ? { api_mode: 'auto' as const } : {};
  return {
    ...config,
    model: { ...config.model, ...usual, ...codex, ...wishes.model, ...more },
    compression: { ...config.compression, ...wishes.compression },
  };
}

/** Requests to the vendor's hosts go to the fake, renewals to the test; everything else is refused. */
function rerouted(baseUrl: string, renew: ResponsesWishes['renew']): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (url.hostname === 'auth.openai.com' && url.pathname === '/oauth/token') {
      if (!renew) throw new TypeError('fetch failed');
      const answer = renew(JSON.parse(String(init?.body)) as Record<string, string>);
      return Response.json(answer.body, { status: answer.status });
    }
    const base = new URL(baseUrl);
    if (!hosts.includes(url.hostname) && url.host !== base.host)
      throw new Error(`no request may go to ${url.host}`);
    return fetch(new URL(url.pathname, base), init);
  };
}

/** The Codex app-server's stand-in with the client that speaks to it, and a conversation that grows turn by turn. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { defaultConfig, systemClock } from '@palimpsest/core';
import type { Clock, Config, ModelClient, ModelEvent, ModelRequest, PromptMessage } from '@palimpsest/core';
import { createModelClient } from '@palimpsest/providers';
import { writeFakeCodex } from '@palimpsest/testkit';
import type { FakeCodex } from '@palimpsest/testkit';

import { asMessage, events, request, user } from './model-world.ts';

export interface AppServerWorld extends AsyncDisposable {
  codex: FakeCodex;
  client: ModelClient;
  /** What was asked and answered so far. */
  messages: PromptMessage[];
  /** Ask something and keep what was answered, as the agent does. */
  ask(text: string, more?: Partial<ModelRequest>, signal?: AbortSignal): Promise<ModelEvent[]>;
  /** Another process of ours with the same Codex folder. */
  reopen(more?: { model?: Partial<Config['model']> }): ModelClient;
  /** Methods of the client's requests so far, without handshake, letting go and repeated tries to load a thread. */
  methods(): string[];
}

const leftOut = /^initial|^config\/read$|^thread\/unsubscribe$/;

export interface AppServerWishes {
  auto?: Config['compression']['codex_app_server_auto'];
  clock?: Clock;
  idleMs?: number;
}

export function openAppServer(wishes: AppServerWishes = {}): AppServerWorld {
  const home = mkdtempSync(join(tmpdir(), 'palimpsest-fake-codex-'));
  const codex = writeFakeCodex(home);
  const clients: ModelClient[] = [];
  const reopen: AppServerWorld['reopen'] = (more = {}) => {
    const client = createModelClient({
      config: configOf(codex.command, wishes, more.model),
      keys: { codexHome: home },
      clock: wishes.clock ?? systemClock,
      random: () => 0.5,
      idleMs: wishes.idleMs ?? 20_000,
    });
    clients.push(client);
    return client;
  };
  const world: AppServerWorld = {
    codex,
    client: reopen(),
    messages: [],
    async ask(text, more, signal) {
      world.messages.push(user(text));
      const seen = await events(world.client, request(world.messages, { tools: [], ...more }), signal);
      if (seen.at(-1)?.type === 'done') world.messages.push(asMessage(seen));
      return seen;
    },
    reopen,
    methods: () =>
      codex
        .heard()
        .flatMap(({ method }) => (method && !leftOut.test(method) ? [method] : []))
        .filter((method, at, all) => method !== 'thread/resume' || all[at - 1] !== method),
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close?.();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return world;
}

function configOf(command: string, wishes: AppServerWishes, model: Partial<Config['model']> = {}): Config {
  const config = defaultConfig();
  const auto = wishes.auto ?? config.compression.codex_app_server_auto;
  return {
    ...config,
    model: {
      ...config.model,
      provider: 'openai-codex',
      name: 'gpt-5.5',
      api_mode: 'codex_app_server',
      codex_command: command,
      ...model,
    },
    compression: { ...config.compression, codex_app_server_auto: auto },
  };
}

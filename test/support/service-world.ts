/** `palimpsest up` as a process between a strict Telegram and a strict model, on a database and Redis that can go away. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { startFakeModel, startFakeTelegram, type ModelScript } from '@palimpsest/testkit';
import { freePort } from '../../infra/bootstrap/postgres/postmaster.ts';
import { launch, untilRunning, type Program } from './chaos/program.ts';
import { sharedPath } from './shared.ts';

export const botApiSchema = sharedPath('telegram/bot-api.json');
export const webhookSecret = 'a_secret-of-256-at-most';

export interface ServiceWish {
  databaseUrl: string;
  redisUrl?: string;
  script: ModelScript;
  mode?: 'polling' | 'webhook';
  /** Address of a Discord; without one its token is not set either. */
  discordApi?: string;
  env?: Readonly<Record<string, string>>;
}

export interface Answer {
  status: number;
  body: {
    ready?: boolean;
    checks?: readonly { name: string; ok: boolean; detail: string }[];
    error?: { code: string; message: string };
    result?: string;
  };
}

export async function openServiceWorld(wish: ServiceWish) {
  const stack = new AsyncDisposableStack();
  const telegram = stack.use(
    await startFakeTelegram({ schemaPath: botApiSchema.path, liftRateLimits: true, webhookRetryMs: 50 }),
  );
  const model = stack.use(
    await startFakeModel({ dialect: 'anthropic', window: 200_000, script: wish.script }),
  );
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-service-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort(0);
  const pages = `http://127.0.0.1:${port}`;
  const webhookUrl = `${pages}/telegram/webhook`;
  const config = {
    model: {
      provider: 'anthropic',
      name: 'claude-sonnet-5',
      base_url: model.baseUrl,
      context_length: 200_000,
    },
    platforms: {
      telegram: {
        allow_all: true,
        api_root: telegram.apiRoot,
        ...(wish.mode === 'webhook' ? { mode: 'webhook', webhook_url: webhookUrl } : {}),
      },
      ...(wish.discordApi === undefined ? {} : { discord: { allow_all: true, api_root: wish.discordApi } }),
    },
    worker: { lease_seconds: 5, sweep_seconds: 0.5, wait_for_more_ms: 0 },
  };
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
  const env = {
    DATABASE_URL: wish.databaseUrl,
    ...(wish.redisUrl === undefined ? {} : { REDIS_URL: wish.redisUrl }),
    PORT: String(port),
    ANTHROPIC_API_KEY: 'test',
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_WEBHOOK_SECRET: webhookSecret,
    ...wish.env,
  };
  const programs: Program[] = [];
  stack.defer(async () => void (await Promise.all(programs.map((program) => program.kill()))));

  /** Start without waiting; the world ends it. */
  function run(): Program {
    const program = launch({ command: ['apps/cli/src/main.ts', 'up'], env, folder });
    programs.push(program);
    return program;
  }

  async function ask(path: string, init?: RequestInit): Promise<Answer> {
    const response = await fetch(`${pages}${path}`, init);
    const text = await response.text();
    return {
      status: response.status,
      body: text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : {},
    };
  }

  return {
    telegram,
    model,
    folder,
    url: pages,
    run,
    start: () => untilRunning(run()),
    ask,
    /** The local page sends a message. */
    post: (id: string, text: string) =>
      ask('/api/chat/main/messages', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: pages },
        body: JSON.stringify({ id, text }),
      }),
    heard: (chatId: number) => telegram.sent(chatId).map((message) => message.text),
    /** Texts of the local chat, oldest first. */
    async lines(): Promise<string[]> {
      const response = await fetch(`${pages}/api/chat/main/history`);
      const { lines } = (await response.json()) as { lines: { text: string }[] };
      return lines.map((line) => line.text);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Try until it no longer throws. */
export function until<Result>(look: () => Result | Promise<Result>, timeoutMs = 60_000): Promise<Result> {
  return vi.waitFor(look, { interval: 50, timeout: timeoutMs });
}

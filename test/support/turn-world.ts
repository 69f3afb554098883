/**
 * The whole main path in one process on a database of its own: local chat → intake → queue → worker → agent → delivery,
 * against a strict fake model. Everything a test opens is closed with the world.
 */
import { startGateway, type Adapter } from '@palimpsest/gateway';
import {
  createWorkerDeps,
  loadInstalledPlugIns,
  ownerName,
  type Parts,
} from '../../apps/cli/src/start-parts.ts';
import { readSettings } from '../../apps/cli/src/settings.ts';
import {
  parseConfig,
  silentLogger,
  systemClock,
  type Logger,
  type Meter,
  type ModelClient,
  type Store,
  type Tool,
} from '@palimpsest/core';
import { createMeter } from '@palimpsest/metrics';
import { LocalListener, LocalSender } from '@palimpsest/platforms';
import { createModelClient, openToolServers } from '@palimpsest/providers';
import { createQueue } from '@palimpsest/queue';
import { openHistory, openStore } from '@palimpsest/store';
import { scriptedSummariser, startFakeModel, type FakeModel, type ModelScript } from '@palimpsest/testkit';
import { startWorker } from '@palimpsest/worker';
import { createTestDatabase } from './database.ts';

export interface TurnWorldOptions {
  script: ModelScript;
  window?: number;
  /** Further config, as YAML. */
  config?: string;
  tools?: readonly Tool[];
  summariser?: ModelScript;
  /** Summaries are written by the main model; its script sees them as requests without tools. */
  summaryOnMain?: boolean;
  meter?: Meter;
  logger?: Logger;
  /** For `${NAME}` in the config's tool servers. */
  variables?: Readonly<Record<string, string>>;
  /** Plug-in engines are loaded from there. */
  plugInFolder?: string;
  /** Answers in the place of the fake model. */
  client?: ModelClient;
  /** How often lost wake-ups are looked for; 1 unless a test wants none to be found. */
  sweepSeconds?: number;
  /** Platforms beside the local chat. */
  adapters?: readonly Adapter[];
}

const chatId = 'test';

export async function openTurnWorld(options: TurnWorldOptions) {
  const stack = new AsyncDisposableStack();
  const window = options.window ?? 128_000;
  const model = stack.use(
    await startFakeModel({ dialect: 'anthropic', window, script: options.script, overfullOutput: 'stop' }),
  );
  const summariser = stack.use(
    await startFakeModel({
      dialect: 'openai-chat',
      window: 64_000,
      script: options.summariser ?? scriptedSummariser({ tokenBudget: 300 }),
    }),
  );
  const database = stack.use(await createTestDatabase());
  const store = await openStore({ databaseUrl: database.url, logger: silentLogger, poolSize: 8 });
  stack.defer(() => store.close());
  const history = openHistory({ databaseUrl: database.url, logger: silentLogger });
  stack.defer(() => history.close());
  const queue = await createQueue({ databaseUrl: database.url, logger: silentLogger });
  stack.defer(() => queue.close());
  const settings = {
    ...readSettings({ ANTHROPIC_API_KEY: 'test', CUSTOM_API_KEY: 'test' }, '/nonexistent'),
    config: configOf(options, { model, summariser, window }),
    plugInFolder: options.plugInFolder ?? '/nonexistent',
  };
  const logger = options.logger ?? silentLogger;
  const toolServers = openToolServers({
    config: settings.config,
    variables: { ...process.env, ...options.variables },
    clock: systemClock,
    logger,
  });
  stack.defer(() => toolServers.close());
  const parts: Parts = {
    settings,
    toolServers,
    logger,
    meter: options.meter ?? createMeter({ strict: true }),
    store,
    queue,
    owner: ownerName(),
  };
  const client =
    options.client ??
    createModelClient({
      config: settings.config,
      keys: settings.keys,
      clock: systemClock,
      random: Math.random,
    });
  const plugIns = options.plugInFolder === undefined ? undefined : await loadInstalledPlugIns(parts);
  const workerDeps = createWorkerDeps({ ...parts, plugIns }, client, options.tools);
  const worker = await startWorker(workerDeps);
  stack.defer(() => worker.stop(2_000));
  const listener = new LocalListener();
  const gateway = startGateway({ ...parts, config: settings.config, clock: systemClock }, [
    { listener, sender: new LocalSender(() => {}) },
    ...(options.adapters ?? []),
  ]);
  stack.defer(() => gateway.stop());
  let said = 0;
  while (!listener.isListening()) await pause();

  async function say(text: string, edits?: string, place = chatId): Promise<string> {
    const messageId = `m${++said}`;
    await listener.submit({
      chatId: place,
      messageId,
      text,
      senderId: 'local',
      senderName: 'Ada',
      sentAt: new Date(),
      edits,
    });
    return messageId;
  }
  async function heard(place = chatId): Promise<string[]> {
    return (await store.localChat.repliesAfter(place, 0)).map((reply) => reply.text);
  }
  /** The replies (those that count) once there are `count` of them. */
  async function hear(count: number, counts: (text: string) => boolean = () => true): Promise<string[]> {
    const until = performance.now() + 20_000;
    for (;;) {
      const replies = (await heard()).filter(counts);
      if (replies.length >= count || performance.now() > until) return replies;
      await pause();
    }
  }
  async function sessionId(): Promise<string> {
    const ids = await history.sessionsOfChat(listener.account, { chatId, threadId: '' });
    return ids.at(-1)!;
  }
  return {
    model,
    summariser,
    store,
    workerDeps,
    history,
    queue,
    toolServers,
    databaseUrl: database.url,
    say,
    heard,
    hear,
    sessionId,
    rows: async () => allRows(store, await sessionId()),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export type TurnWorld = Awaited<ReturnType<typeof openTurnWorld>>;

export function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 10);
  });
}

function configOf(
  options: TurnWorldOptions,
  servers: { model: FakeModel; summariser: FakeModel; window: number },
) {
  const config = parseConfig(options.config ?? '', 'test');
  return {
    ...config,
    model: {
      ...config.model,
      provider: 'anthropic' as const,
      name: 'claude-sonnet-5',
      base_url: servers.model.baseUrl,
      context_length: servers.window,
      // The scripted servers know the two wires and nothing else.
      ask_provider: false,
    },
    auxiliary: {
      compression: options.summaryOnMain
        ? config.auxiliary.compression
        : {
            ...config.auxiliary.compression,
            provider: 'custom' as const,
            model: 'summariser',
            base_url: servers.summariser.baseUrl,
          },
    },
    worker: { ...config.worker, sweep_seconds: options.sweepSeconds ?? 1, wait_for_more_ms: 0 },
  };
}

async function allRows(store: Store, sessionId: string) {
  return store.transcript.page(sessionId, { afterSeq: 0, limit: 1_000 });
}

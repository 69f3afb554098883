/** Puts the parts of the fake together. */
import { BotServer } from './bot-server.ts';
import { ChatBook } from './chat-book.ts';
import { FakeTelegram } from './fake-telegram.ts';
import { FaultList } from './faults.ts';
import { FloodGate } from './flood-gate.ts';
import type { JournalEntry } from './journal.ts';
import { LongPoll } from './long-poll.ts';
import { loadSchema, type BotApiSchema } from './schema.ts';
import { SchemaChecker } from './schema-checker.ts';
import { SentMessages } from './sent-messages.ts';
import type { ServerState } from './server-state.ts';
import type { FakeTelegramClock } from './types.ts';
import { UpdateQueue } from './update-queue.ts';
import { WebhookPush } from './webhook-push.ts';

/** How to start. */
export interface FakeTelegramOptions {
  /** Path of bot-api.json, or the parsed schema. */
  readonly schemaPath: string | BotApiSchema;
  /** Default: made from the bot's id. */
  readonly token?: string;
  readonly botId?: number;
  /** Default "palimpsest_test_bot". */
  readonly botUsername?: string;
  /** False: privacy mode is on, as BotFather makes bots. Only getMe tells it; default true. */
  readonly hearsAll?: boolean;
  /** Default: the machine's clock. Long polls and pauses of the webhook always run in real time. */
  readonly clock?: FakeTelegramClock;
  /** True lifts the counted sending limits. */
  readonly liftRateLimits?: boolean;
  /** Update id of the first update; default 1000. */
  readonly firstUpdateId?: number;
  /** First pause after a webhook refused; default 20 ms, doubles up to 40 times that. */
  readonly webhookRetryMs?: number;
  /** Longest wait for the webhook's answer; default 60 s, as the real server. */
  readonly webhookAnswerMs?: number;
}

/** Start a fake Bot API server on a free port of 127.0.0.1. */
export async function startFakeTelegram(options: FakeTelegramOptions): Promise<FakeTelegram> {
  const botId = options.botId ?? Number(options.token?.split(':')[0] ?? 7_000_000_001);
  const token = options.token ?? `${botId}:fake_token_of_the_test_bot`;
  const faults = new FaultList();
  const journal: JournalEntry[] = [];
  // The state must know how replies to a webhook run, and the server that runs them must know the state.
  const started = Promise.withResolvers<BotServer>();
  const state = await makeState(options, botId, async (type, body) => {
    const running = await started.promise;
    await running.runReply(type, body);
  });
  const server = new BotServer({ state, token, faults, journal });
  started.resolve(server);
  const apiRoot = await server.listen();
  return new FakeTelegram({ apiRoot, token, state, server, faults, journal });
}

async function makeState(
  options: FakeTelegramOptions,
  botId: number,
  runReply: (contentType: string, body: string) => Promise<void>,
): Promise<ServerState> {
  const clock = options.clock ?? { now: () => new Date() };
  const { webhookRetryMs: retryMs = 20, webhookAnswerMs: answerMs = 60_000 } = options;
  const queue = new UpdateQueue(clock, options.firstUpdateId ?? 1000);
  const chats = new ChatBook();
  const username = options.botUsername ?? 'palimpsest_test_bot';
  return {
    checker: new SchemaChecker(await loadSchema(options.schemaPath)),
    clock,
    me: { id: botId, is_bot: true, first_name: 'Palimpsest', username },
    hearsAll: options.hearsAll ?? true,
    chats,
    queue,
    poll: new LongPoll(queue),
    flood: new FloodGate(clock, options.liftRateLimits !== true),
    sent: new SentMessages(chats),
    violations: [],
    commands: new Map(),
    openCallbacks: new Set(),
    callbackAnswers: [],
    files: new Map(),
    links: new Map(),
    drafts: new Map(),
    actions: [],
    reactions: new Map(),
    startWebhook: (setting) => new WebhookPush(setting, { queue, clock, retryMs, answerMs, runReply }),
    webhook: undefined,
  };
}

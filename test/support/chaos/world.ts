/** The service as real processes between strict counterparts, with everything crash tests ask of it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, vi } from 'vitest';
import {
  startFakeDiscord,
  startFakeModel,
  startFakeTelegram,
  type FakeDiscord,
  type FakeModel,
  type FakeTelegram,
  type ModelScript,
} from '@palimpsest/testkit';
import {
  databaseUrl as urlOfCredentials,
  readCredentials,
} from '../../../infra/bootstrap/postgres/cluster.ts';
import { runningPostmaster, stopPostmaster } from '../../../infra/bootstrap/postgres/postmaster.ts';
import { createTestDatabase } from '../database.ts';
import { hookSecret } from '../hook-receiver.ts';
import { testRedis } from '../redis.ts';
import { sharedPath } from '../shared.ts';
import { holdStatement, type HeldStatement, type StatementPoint } from './hold-statement.ts';
import { launch, untilRunning, type Program } from './program.ts';
import { answers, marksIn } from './scripts.ts';

export const botApiSchema = sharedPath('telegram/bot-api.json');
export const discordSchema = sharedPath('discord/openapi.json');

/** Shaped like a real token: the first part is the bot's id in base64. */
const discordToken = 'MTAyNzY3MjIwNjI0MDAyMjgzMA.fake.token';

const usualWindow = 200_000;

export type QueueKind = 'redis' | 'postgres';

export interface ChaosWish {
  queue: QueueKind;
  /** Of the test's context: prints the programs' last words. */
  onTestFailed(hook: () => void): void;
  script?: ModelScript;
  /** Started instead of Telegram. */
  discord?: boolean;
  /** Keys of `worker` in the config. */
  worker?: Record<string, number>;
  /** Keys of `compression` in the config. */
  compression?: Record<string, unknown>;
  /** Keys of `context` in the config. */
  context?: Record<string, unknown>;
  /** The key `hooks` of the config; the secret is in HOOK_SECRET. */
  hooks?: Record<string, unknown>;
  /** The model's window; 200,000 unless a test wants it full. */
  window?: number;
  /** Servers of the test's own instead of those of the run; `embedded`: `up` brings its own in the world's folder. */
  databaseUrl?: string;
  redisUrl?: string;
  /** Further variables of every program. */
  env?: Readonly<Record<string, string>>;
}

export interface ChaosWorld extends AsyncDisposable {
  telegram: FakeTelegram;
  discord: FakeDiscord;
  model: FakeModel;
  databaseUrl: string;
  redisUrl: string | null;
  /** Working folder of the programs. */
  folder: string;
  /** Start `palimpsest gateway|worker|up` and wait until it runs. */
  start(service: 'gateway' | 'worker' | 'up'): Promise<Program>;
  /** Start without waiting; the world ends it. */
  run(command: readonly string[]): Program;
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  hold(point: StatementPoint): Promise<HeldStatement>;
  /** A person writes on Telegram, in a direct chat. */
  says(chatId: number, ...texts: string[]): void;
  /** Texts of the bot in a Telegram chat, oldest first. */
  heard(chatId: number): string[];
  /** Let the leases of dead holders end now instead of in up to 45 s. */
  endLeases(): Promise<void>;
  /** Wait until nothing is open in mailbox, turns and outbox. */
  quiet(): Promise<void>;
  /** Wait for quiet; then every mark was answered once, in order, and stands once in the transcript. */
  answeredOnce(chatId: number, marks: readonly string[]): Promise<void>;
}

/** Set up servers and the config; no process runs yet. */
export async function openChaos(wish: ChaosWish): Promise<ChaosWorld> {
  const stack = new AsyncDisposableStack();
  const telegram = stack.use(
    await startFakeTelegram({ schemaPath: botApiSchema.path, liftRateLimits: true }),
  );
  const discord = stack.use(
    await startFakeDiscord({ schemaPath: discordSchema.path, token: discordToken, liftRateLimits: true }),
  );
  const model = stack.use(
    await startFakeModel({
      dialect: 'anthropic',
      window: wish.window ?? usualWindow,
      script: wish.script ?? answers,
      overfullOutput: 'stop',
    }),
  );
  const databaseUrl = wish.databaseUrl ?? stack.use(await createTestDatabase()).url;
  const isEmbedded = databaseUrl === 'embedded';
  const redisUrl = wish.queue === 'postgres' ? null : (wish.redisUrl ?? stack.use(await testRedis()).url);
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-chaos-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'config.yaml'), configText(wish, { telegram, discord, model }));
  const env = {
    ...(isEmbedded ? {} : { DATABASE_URL: databaseUrl }),
    ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
    PALIMPSEST_CONFIG: join(folder, 'config.yaml'),
    PORT: '0',
    ANTHROPIC_API_KEY: 'chaos',
    ...(wish.hooks ? { HOOK_SECRET: hookSecret } : {}),
    ...(wish.discord ? { DISCORD_BOT_TOKEN: discordToken } : { TELEGRAM_BOT_TOKEN: telegram.token }),
    ...wish.env,
  };
  if (isEmbedded) stack.defer(() => stopLeftDatabase(folder));
  const programs: Program[] = [];
  stack.defer(async () => void (await Promise.all(programs.map((program) => program.kill()))));
  wish.onTestFailed(() => void process.stderr.write(programs.map(lastWords).join('\n')));

  function run(command: readonly string[]): Program {
    const program = launch({ command, env, folder });
    programs.push(program);
    return program;
  }

  async function sql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: isEmbedded ? embeddedUrl(folder) : databaseUrl });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  const world: ChaosWorld = {
    telegram,
    discord,
    model,
    databaseUrl,
    redisUrl,
    folder,
    start: (service) => untilRunning(run(['apps/cli/src/main.ts', service])),
    run,
    sql,
    hold: async (point) => stack.use(await holdStatement(databaseUrl, point)),
    says(chatId, ...texts) {
      for (const text of texts) telegram.userSends({ chatId, text });
    },
    heard: (chatId) => telegram.sent(chatId).map((message) => message.text),
    async endLeases() {
      await sql('UPDATE leases SET until = clock_timestamp()');
    },
    quiet: () => untilNothingIsOpen(sql),
    async answeredOnce(chatId, marks) {
      await untilAnswered(world, chatId, marks.length);
      await world.quiet();
      expect(world.heard(chatId).flatMap(marksIn)).toEqual(marks);
      expect(await storedMarks(sql, String(chatId))).toEqual(marks);
      noViolations(world);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return world;
}

/** The database of `up` in its data folder; it answers while `up` runs. */
function embeddedUrl(folder: string): string {
  const dataDir = join(folder, 'data');
  const credentials = readCredentials(dataDir);
  if (credentials === undefined) throw new Error(`no database was ever started in ${folder}`);
  return urlOfCredentials(dataDir, credentials);
}

/** A killed `up` leaves its database running for the next start; the last one is stopped here. */
async function stopLeftDatabase(folder: string): Promise<void> {
  const cluster = { clusterDir: join(folder, 'data', 'postgres') };
  const pid = runningPostmaster(cluster);
  if (pid !== undefined) await stopPostmaster(cluster, pid, () => {});
}

/** What the counterparts refused; every test looks. */
export function noViolations({ telegram, discord, model }: ChaosWorld): void {
  expect(telegram.violations).toEqual([]);
  expect(discord.violations).toEqual([]);
  expect(model.violations).toEqual([]);
}

/** Try until it no longer throws. */
export function until<T>(look: () => T | Promise<T>, timeoutMs = 40_000): Promise<T> {
  return vi.waitFor(look, { interval: 50, timeout: timeoutMs });
}

function untilAnswered(world: ChaosWorld, chatId: number, count: number): Promise<void> {
  return until(() => {
    const found = world.heard(chatId).flatMap(marksIn);
    if (found.length < count)
      throw new Error(`${found.length} of ${count} messages are answered: ${found.join(' ')}`);
  }, 60_000);
}

function untilNothingIsOpen(sql: ChaosWorld['sql']): Promise<void> {
  return until(async () => {
    const [open] = await sql(`SELECT
      (SELECT count(*) FROM mailbox WHERE state IN ('pending', 'claimed') AND kind <> 'edit')::int AS mailbox,
      (SELECT count(*) FROM turns WHERE state = 'running')::int AS turns,
      (SELECT count(*) FROM outbox WHERE state IN ('open', 'pending', 'sending'))::int AS outbox`);
    expect(open).toEqual({ mailbox: 0, turns: 0, outbox: 0 });
  }, 60_000);
}

/** Marks of the person's rows of a chat, in transcript order. */
async function storedMarks(sql: ChaosWorld['sql'], chatId: string): Promise<string[]> {
  const rows = await sql(
    `SELECT m.parts::text AS content FROM messages m JOIN chats c ON c.session_id = m.session_id
      WHERE c.chat_id = $1 AND m.kind = 'person' AND m.replaces IS NULL ORDER BY m.seq`,
    [chatId],
  );
  return rows.flatMap((row) => marksIn(String(row.content)));
}

function configText(
  wish: ChaosWish,
  servers: { telegram: FakeTelegram; discord: FakeDiscord; model: FakeModel },
): string {
  return JSON.stringify({
    model: {
      provider: 'anthropic',
      name: 'claude-sonnet-5',
      base_url: servers.model.baseUrl,
      context_length: wish.window ?? usualWindow,
    },
    platforms: {
      telegram: { allow_all: true, api_root: servers.telegram.apiRoot },
      discord: { allow_all: true, api_root: servers.discord.restApi },
    },
    ...(wish.compression ? { compression: wish.compression } : {}),
    ...(wish.context ? { context: wish.context } : {}),
    ...(wish.hooks ? { hooks: wish.hooks } : {}),
    worker: { lease_seconds: 5, sweep_seconds: 0.5, wait_for_more_ms: 0, ...wish.worker },
  });
}

function lastWords(program: Program): string {
  return `--- process ${program.pid}\n${program.output().slice(0, 300)}\n${program.log().slice(-6000)}\n`;
}

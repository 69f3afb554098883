/** Everything that a run stands on: real Postgres and Redis, strict counterparts, doors between, and the processes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { migrate } from '@palimpsest/store';
import {
  startFakeDiscord,
  startFakeModel,
  startFakeTelegram,
  type FakeDiscord,
  type FakeModel,
  type FakeTelegram,
} from '@palimpsest/testkit';
import { startEmbeddedPostgres } from '../../../../infra/bootstrap/embedded-postgres.ts';
import { readCredentials } from '../../../../infra/bootstrap/postgres/cluster.ts';
import { Crew } from './crew.ts';
import { openLines, type Lines } from './lines.ts';
import { startRedisServer, type RedisServer } from './redis-server.ts';
import { chaosModel, type ChaosModel } from './script.ts';
import { chats, idOf } from './people.ts';
import { watchWriters } from './watch-writers.ts';

/** Shaped like a real token: the first part is the bot's id in base64. */
const discordToken = 'MTAyNzY3MjIwNjI0MDAyMjgzMA.fake.token';
const windowTokens = 8_000;
const listenLimitMs = 120_000;

/** What a run has of its own: which engine, which queue. */
export interface Setting {
  readonly engine: 'compressor' | 'rotation' | 'lcm' | 'dcp';
  readonly queue: 'redis' | 'postgres';
}

export interface Stage extends AsyncDisposable {
  readonly setting: Setting;
  readonly telegram: FakeTelegram;
  readonly discord: FakeDiscord;
  readonly model: FakeModel & { faults: ChaosModel };
  readonly redis: RedisServer;
  readonly lines: Lines;
  readonly crew: Crew;
  /** The database itself, past all doors. */
  readonly databaseUrl: string;
  /** Process id of the database server that runs now; null while it is away. */
  postmaster(): number | null;
}

export interface StageOptions {
  setting: Setting;
  /** Folder with the schema files of the platforms. */
  schemas: string;
  path: string;
}

/** Set everything up and start the processes. */
export async function openStage(options: StageOptions): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-chaos-run-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const counterparts = await startCounterparts(options, stack);
  const dataDir = join(folder, 'data');
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
  stack.defer(() => postgres.stop());
  await migrate(postgres.databaseUrl);
  await watchWriters(postgres.databaseUrl);
  const redis = stack.use(await startRedisServer());
  const { port, password } = readCredentials(dataDir)!;
  const lines = stack.use(
    await openLines({
      postgres: port,
      redis: portOf(redis.url),
      telegram: portOf(counterparts.telegram.apiRoot),
      discord: portOf(counterparts.discord.restApi),
      model: portOf(counterparts.model.baseUrl),
    }),
  );
  const crew = new Crew({ folder, envOf: (name, start) => environment(name, start) });
  stack.defer(() => crew.killAll());

  function environment(name: Parameters<Lines['port']>[1], start: number): Record<string, string> {
    const config = join(folder, `${name}.yaml`);
    writeFileSync(
      config,
      JSON.stringify(configOf(options.setting, counterparts, (server) => lines.port(server, name))),
    );
    const database = `127.0.0.1:${lines.port('postgres', name)}/palimpsest`;
    return {
      PATH: options.path,
      NODE_COMPILE_CACHE: join(tmpdir(), 'palimpsest-compile-cache'),
      DATABASE_URL: `postgres://palimpsest:${password}@${database}?application_name=${name}-${start}`,
      ...(options.setting.queue === 'redis'
        ? { REDIS_URL: `redis://127.0.0.1:${lines.port('redis', name)}` }
        : {}),
      PALIMPSEST_CONFIG: config,
      PORT: '0',
      ANTHROPIC_API_KEY: 'chaos',
      TELEGRAM_BOT_TOKEN: counterparts.telegram.token,
      DISCORD_BOT_TOKEN: discordToken,
    };
  }

  await crew.start();
  await untilListening(counterparts);
  const kept = stack.move();
  return {
    ...options,
    ...counterparts,
    redis,
    lines,
    crew,
    databaseUrl: postgres.databaseUrl,
    postmaster: () => pidIn(join(dataDir, 'postgres', 'postmaster.pid')),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

type Counterparts = Pick<Stage, 'telegram' | 'discord' | 'model'>;

async function startCounterparts(
  { schemas }: StageOptions,
  stack: AsyncDisposableStack,
): Promise<Counterparts> {
  const telegram = stack.use(
    await startFakeTelegram({ schemaPath: resolve(schemas, 'telegram/bot-api.json'), liftRateLimits: true }),
  );
  const discord = stack.use(
    await startFakeDiscord({
      schemaPath: resolve(schemas, 'discord/openapi.json'),
      token: discordToken,
      liftRateLimits: true,
    }),
  );
  for (const chat of chats) {
    if (chat.platform === 'discord') discord.addDm({ id: idOf(chat), username: `person${chat.index}` });
  }
  const faults = chaosModel();
  const model = stack.use(
    await startFakeModel({
      dialect: 'anthropic',
      window: windowTokens,
      script: faults.script,
      overfullOutput: 'stop',
      recordBodies: false,
    }),
  );
  return { telegram, discord, model: Object.assign(model, { faults }) };
}

/** What is said to a bot that Discord has never seen is found by nobody: it knows no channel to look into. */
async function untilListening({ telegram, discord }: Counterparts): Promise<void> {
  const deadline = performance.now() + listenLimitMs;
  while (discord.connected === 0 || telegram.requestsTo('getUpdates').length === 0) {
    if (performance.now() > deadline) throw new Error('no gateway listens');
    await wait(50);
  }
}

function configOf(
  { engine }: Setting,
  { telegram, discord, model }: Counterparts,
  port: (server: 'telegram' | 'discord' | 'model') => number,
): Record<string, unknown> {
  return {
    model: {
      provider: 'anthropic',
      name: 'claude-sonnet-5',
      base_url: behind(model.baseUrl, port('model')),
      context_length: windowTokens,
    },
    platforms: {
      telegram: { allow_all: true, api_root: behind(telegram.apiRoot, port('telegram')) },
      discord: { allow_all: true, api_root: behind(discord.restApi, port('discord')) },
    },
    compression: { in_place: engine !== 'rotation' },
    context: {
      engine: engine === 'rotation' ? 'compressor' : engine,
      lcm: { fresh_tail_count: 4, leaf_chunk_tokens: 2_000 },
    },
    worker: {
      lease_seconds: 5,
      sweep_seconds: 0.5,
      wait_for_more_ms: 0,
      // A turn that dies three times is given up by default, and here they die for no fault of their own.
      max_turn_attempts: 50,
    },
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** The same address with another port, and no slash at its end. */
function behind(address: string, port: number): string {
  const url = new URL(address);
  url.port = String(port);
  return url.href.replace(/\/$/, '');
}

function pidIn(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8').split('\n')[0]) || null;
  } catch {
    return null;
  }
}

import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { startGateway } from '@palimpsest/gateway';
import {
  estimateParts,
  parseConfig,
  silentMeter,
  systemClock,
  type Config,
  type HistoryStore,
  type Logger,
  type NewRow,
  type Part,
} from '@palimpsest/core';
import { createQueue } from '@palimpsest/queue';
import { migrate, openHistory, openStore } from '@palimpsest/store';
import {
  followNudges,
  ignoreNudges,
  scriptedSummariser,
  startFakeModel,
  type FakeModel,
} from '@palimpsest/testkit';
import { startWorker } from '@palimpsest/worker';
import { createMainModel, createWorkerDeps, ownerName, type Parts } from '../start-parts.ts';
import { readSettings, type Settings } from '../settings.ts';
import type { Counterpart, CounterpartOptions, ReplayPlatform } from './counterpart.ts';
import { play, type Speed } from './play.ts';
import { recordedModel, recordedTools } from './recorded-model.ts';
import { readRecording, type RecordedLine, type Recording } from './recording.ts';
import { makeReport, type ReplayReport } from './report.ts';
import { untilQuiet } from './until-quiet.ts';

export interface ReplayOptions {
  file: string;
  platform: ReplayPlatform;
  window: number;
  engine: string;
  /** Whether the model compresses when the engine asks it to; only `dcp` asks. */
  nudges: 'follow' | 'ignore';
  speed: Speed;
  /** An empty database; migrated here. */
  databaseUrl: string;
  /** null: BullMQ on the same Postgres. */
  redisUrl: string | null;
  /** Folder with the platforms' schema files. */
  schemas: string;
  summariserDelayMs: number;
  /** Every n-th summary request fails; 0 = none. */
  summariserFailEvery: number;
  logger: Logger;
  /** Further config keys, as YAML. */
  config?: string;
}

/** Loaded when needed: the platforms' libraries take longer to load than a local replay to begin. */
const openers: Record<ReplayPlatform, (options: CounterpartOptions) => Promise<Counterpart>> = {
  telegram: async (options) => (await import('./telegram-counterpart.ts')).telegramCounterpart(options),
  discord: async (options) => (await import('./discord-counterpart.ts')).discordCounterpart(options),
  local: async (options) => (await import('./local-counterpart.ts')).localCounterpart(options),
};

/** Play a recording through the real service and a counterpart server; everything runs in this process. */
export async function runReplay(options: ReplayOptions): Promise<ReplayReport> {
  const recording = readRecording(options.file);
  await using stack = new AsyncDisposableStack();
  const model = stack.use(await startRecordedModel(options, recording));
  const summariser = stack.use(await startSummariser(options));
  const settings = replaySettings(options, { model, summariser });
  const { parts, history } = await openParts(options, settings, stack);
  const { store, queue } = parts;
  const counterpart = await openers[options.platform](counterpartOptions(options, parts));
  stack.defer(() => counterpart.close());
  const startedAt = performance.now();
  await importOpening(history, { recording, counterpart, engine: options.engine });
  await using running = new AsyncDisposableStack();
  const worker = await startWorker(
    createWorkerDeps(parts, createMainModel(settings), recordedTools(recording)),
  );
  running.defer(() => worker.stop(5_000));
  const gateway = startGateway({ ...parts, config: settings.config, clock: systemClock }, [
    counterpart.adapter,
  ]);
  running.defer(() => gateway.stop());
  const played = await play(recording, counterpart, options.speed);
  await untilQuiet(history, { counterpart, sent: played.sent.length });
  const wallMs = performance.now() - startedAt;
  // A compaction made ahead may still be on its way in the background: the report is of a service that stands still.
  await running.disposeAsync();
  const file = basename(options.file);
  return await makeReport({
    ...options,
    file,
    queue: queue.backend,
    recording,
    played,
    counterpart,
    model,
    summariser,
    store,
    history,
    wallMs,
  });
}

const nudged = { follow: followNudges, ignore: ignoreNudges };

function startRecordedModel(options: ReplayOptions, recording: Recording): Promise<FakeModel> {
  return startFakeModel({
    dialect: 'anthropic',
    window: options.window,
    script: nudged[options.nudges](recordedModel(recording)),
    recordBodies: false,
    overfullOutput: 'stop',
  });
}

/** Migrate the database and open all that stands on it; `stack` closes it. */
async function openParts(
  options: ReplayOptions,
  settings: Settings,
  stack: AsyncDisposableStack,
): Promise<{ parts: Parts; history: HistoryStore }> {
  const { databaseUrl, logger } = options;
  await migrate(databaseUrl);
  const store = await openStore({ databaseUrl, logger, poolSize: 12 });
  stack.defer(() => store.close());
  const history = openHistory({ databaseUrl, logger });
  stack.defer(() => history.close());
  const queue = await createQueue({
    redisUrl: options.redisUrl ?? undefined,
    databaseUrl,
    logger,
    prefix: `replay_${randomBytes(6).toString('hex')}`,
  });
  stack.defer(() => queue.close());
  return { parts: { settings, logger, meter: silentMeter, store, queue, owner: ownerName() }, history };
}

function counterpartOptions(options: ReplayOptions, { store, logger, meter }: Parts): CounterpartOptions {
  return { schemas: options.schemas, liftRateLimits: options.speed !== 'normal', store, logger, meter };
}

/** The summariser is a server of its own: extractive, of real size. */
function startSummariser(options: ReplayOptions): Promise<FakeModel> {
  const script = scriptedSummariser({
    // What the engine asks for in a small window (8 %), at most what a real one writes.
    tokenBudget: Math.min(1_500, Math.floor(options.window * 0.07)),
    delayMs: options.summariserDelayMs,
    failEvery: options.summariserFailEvery === 0 ? undefined : options.summariserFailEvery,
  });
  return startFakeModel({
    dialect: 'openai-chat',
    window: Math.max(32_000, options.window),
    script,
    recordBodies: false,
  });
}

function replaySettings(
  options: ReplayOptions,
  servers: { model: FakeModel; summariser: FakeModel },
): Settings {
  const env = { ANTHROPIC_API_KEY: 'replay', CUSTOM_API_KEY: 'replay', PALIMPSEST_CONFIG: '' };
  const settings = readSettings(env, '/nonexistent');
  return {
    ...settings,
    config: replayConfig(options, servers),
    databaseUrl: options.databaseUrl,
    redisUrl: options.redisUrl,
  };
}

function replayConfig(options: ReplayOptions, servers: { model: FakeModel; summariser: FakeModel }): Config {
  const config = parseConfig(options.config ?? '', 'replay');
  const model = {
    ...config.model,
    provider: 'anthropic' as const,
    name: 'claude-sonnet-5',
    base_url: servers.model.baseUrl,
    context_length: options.window,
    // The scripted servers know the two wires and nothing else.
    ask_provider: false,
  };
  const compression = {
    ...config.auxiliary.compression,
    model: 'scripted-summariser',
    provider: 'custom' as const,
    base_url: servers.summariser.baseUrl,
  };
  const waits =
    options.speed === 'normal' ? config.worker : { ...config.worker, wait_for_more_ms: 0, sweep_seconds: 2 };
  const open = { allow_all: true };
  return {
    ...config,
    model,
    worker: waits,
    context: { ...config.context, lcm: unhurried(config.context.lcm, options), engine: options.engine },
    auxiliary: { compression },
    platforms: {
      telegram: { ...config.platforms.telegram, ...open },
      discord: { ...config.platforms.discord, ...open },
    },
  };
}

/** Months of a conversation pass in seconds: what may be spent in ten minutes says nothing then. */
function unhurried(lcm: Config['context']['lcm'], { speed }: ReplayOptions): Config['context']['lcm'] {
  return speed === 'normal' ? lcm : { ...lcm, summary_max_calls_per_window: 100_000 };
}

/** Lines before the first user line become rows at the beginning of the chat. */
async function importOpening(
  history: HistoryStore,
  input: { recording: Recording; counterpart: Counterpart; engine: string },
): Promise<void> {
  const rows = input.recording.opening.map(openingRow);
  if (rows.length === 0) return;
  const { account, place, person } = input.counterpart;
  await history.importRows({ account, place, sender: person, engine: input.engine, rows });
}

function openingRow(line: RecordedLine): NewRow {
  const parts: Part[] = [{ type: 'text', text: line.content }];
  return {
    role: 'assistant',
    kind: 'assistant',
    parts,
    tokens: estimateParts(parts),
    sentAt: new Date(line.ts),
  };
}

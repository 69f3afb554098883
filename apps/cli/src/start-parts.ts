import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { engineRegistry } from '@palimpsest/engines';
import { readPayload, sendFile, sessionSearch, sessionTools } from '@palimpsest/agent';
import {
  systemClock,
  type Config,
  type Logger,
  type Meter,
  type ModelClient,
  type Queue,
  type Store,
  type Summariser,
  type Tool,
  type ToolServers,
  type Tracer,
} from '@palimpsest/core';
import {
  createModelClient,
  createModelRegistry,
  createSummariser,
  createTranscriber,
  type SummariserOptions,
} from '@palimpsest/providers';
import { measuredModel } from '@palimpsest/metrics';
import { onBill, type SessionModels } from '@palimpsest/turn';
import { loadPlugIns, type PlugIns, type WorkerDeps } from '@palimpsest/worker';
import { bundledEngines, installedEngines } from './installed-engines.ts';
import { lcmModels } from './lcm-summary-route.ts';
import type { Settings } from './settings.ts';

/** What every program of ours is composed of before it starts. */
export interface Parts {
  settings: Settings;
  logger: Logger;
  meter: Meter;
  /** Left out: nothing is traced. */
  tracer?: Tracer;
  store: Store;
  queue: Queue;
  /** Name of this process in lease rows. */
  owner: string;
  /** Left out: the tools that sessions know of answer that they are away. */
  toolServers?: ToolServers;
  /** Engines beside our own; left out: there are none. */
  plugIns?: PlugIns;
}

const noToolServers: ToolServers = {
  offered: () => Promise.resolve([]),
  call: () => Promise.resolve({ text: 'this program has no tool servers', isError: true }),
  status: () => [],
  close: () => Promise.resolve(),
};

export function ownerName(): string {
  return `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
}

/** The model of the turns, from config and keys. */
export function createMainModel(settings: Settings): ModelClient {
  return createModelClient({
    config: settings.config,
    keys: settings.keys,
    clock: systemClock,
    random: Math.random,
  });
}

/** The plug-in engines beside the config file, each loaded or with what keeps it from that. */
export function loadInstalledPlugIns({
  settings,
  logger,
}: Pick<Parts, 'settings' | 'logger'>): Promise<PlugIns> {
  const { config, plugInFolder: folder } = settings;
  return loadPlugIns({ folder, taken: bundledEngines, config, logger });
}

/** Everything the worker needs; `extraTools` are tools of plug-ins and of a replay. */
export function createWorkerDeps(
  parts: Parts,
  model: ModelClient,
  extraTools: readonly Tool[] = [],
): WorkerDeps {
  const { settings, store, queue, logger, meter, tracer, owner } = parts;
  const { config } = settings;
  const models = createModelRegistry({
    config,
    keys: settings.keys,
    main: model,
    logger,
    clock: systemClock,
    random: Math.random,
  });
  void models.learn();
  const limits = summaryLimits(config);
  const servers = parts.toolServers ?? noToolServers;
  const measures = { meter, clock: systemClock, tracer };
  const measured = (client: ModelClient) => measuredModel(client, measures);
  const modelsFor = (client: ModelClient): SessionModels => {
    const summaryModel = measured(models.summaryClientFor(client));
    const own = measured(client);
    return {
      model: own,
      summariser: createSummariser(summaryModel, limits),
      mainSummariser:
        summaryModel.info.label === client.info.label ? undefined : createSummariser(own, limits),
    };
  };
  const usual = { ...modelsFor(models.mainClient), ...transcriberOf(settings) };
  const lcm = lcmModels(settings, { main: models.mainClient, summariser: usual.summariser }, limits);
  const engines = engineRegistry(
    [
      ...installedEngines({ config, store, logger, meter, ...lcm, onBill: billing(parts) }),
      ...(parts.plugIns?.factories ?? []),
    ],
    parts.plugIns?.problems,
  );
  return {
    store,
    queue,
    findEngine: (name) => engines.find(name),
    engineNames: engines.names,
    ...usual,
    modelsFor: ({ wantedModel }) =>
      wantedModel === undefined ? usual : modelsFor(models.clientFor(wantedModel)),
    models,
    ...sessionTools({ own: [...ownTools(parts), ...extraTools], servers, lists: store.toolLists, config }),
    config,
    ...measures,
    logger,
    owner,
  };
}

function ownTools({ store: { transcript }, settings }: Parts): readonly Tool[] {
  return [sessionSearch(transcript, settings.config.timezone), readPayload(transcript), sendFile(transcript)];
}

/** Only where the config names a model for it. */
function transcriberOf({ config, keys }: Settings): Pick<WorkerDeps, 'transcriber'> {
  const transcriber = createTranscriber(config.media, keys);
  return transcriber ? { transcriber } : {};
}

function summaryLimits({ compression }: Config): SummariserOptions {
  return {
    timeoutMs: compression.hygiene_timeout_seconds * 1000,
    ceilingMs: compression.hygiene_total_ceiling_seconds * 1000,
  };
}

/** What engines ask models beside the summariser of a compaction is on the session's bill too. */
function billing({ store, logger }: Parts): (summariser: Summariser, sessionId: string) => Summariser {
  return (summariser, sessionId) =>
    onBill(summariser, { sessionId: () => sessionId, usage: store.usage, logger });
}

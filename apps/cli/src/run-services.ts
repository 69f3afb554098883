import { dirname } from 'node:path';
import { startGateway } from '@palimpsest/gateway';
import { contextReader } from '@palimpsest/dashboard';
import {
  type Config,
  GatewayError,
  systemClock,
  type Logger,
  type Meter,
  type ModelClient,
} from '@palimpsest/core';
import { createMeter } from '@palimpsest/metrics';
import { openToolServers } from '@palimpsest/providers';
import { createHooks, runHooks, startWorker, type WorkerDeps } from '@palimpsest/worker';
import { autoraiseNotice } from './autoraise-notice.ts';
import type { CliContext } from './cli-context.ts';
import { createAdapters } from './create-adapters.ts';
import { createLogger, logFileIn } from './create-logger.ts';
import { printFirstScreen } from './first-screen.ts';
import { checkEngine } from './installed-engines.ts';
import { openInfrastructure } from './open-infrastructure.ts';
import { openPages } from './open-pages.ts';
import type { Service } from './service.ts';
import { configPathOf, readSettings, type Settings } from './settings.ts';
import { Shutdown, whenToldToStop } from './shutdown.ts';
import { createMainModel, createWorkerDeps, loadInstalledPlugIns, type Parts } from './start-parts.ts';
import { startTelemetry } from './start-telemetry.ts';
import { watchConfigFile } from './watch-config-file.ts';

/** A running turn is put back after this long at the latest; the sweeper of another process goes on with it. */
const workerStopMs = 10_000;

/** Start the named services in order, show the first screen, wait for a signal, stop in the reverse order. */
export async function runServices(
  context: CliContext,
  services: readonly Service[],
  options: { engine?: string; json?: boolean },
): Promise<void> {
  // 1 settings
  const settings = readSettings(context.env, context.folder);
  if (options.engine)
    settings.config.context.engine = checkEngine(options.engine, configPathOf(context.env, context.folder));
  const inOneGo = services.length > 1;
  if (!inOneGo) requireDatabase(settings, services[0]);
  // In one go the screen belongs to the first screen, so the log goes to a file beside the data.
  const logFile = inOneGo ? logFileIn(settings.dataDir) : null;
  const logger = createLogger(settings.logLevel, logFile ?? 2);
  for (const warning of settings.warnings) logger.warn({}, warning);
  const meter = createMeter({ strict: false });
  const shutdown = new Shutdown(logger);
  keepWatch(context, settings, { logger, meter, shutdown });
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const tracer = await startTelemetry(settings, { meter, logger, shutdown });
  const told = whenToldToStop(say);
  const starting = new AbortController();
  void told.then(() => starting.abort());
  try {
    // 2 database, migrations, store, queue
    const parts = await openInfrastructure(settings, {
      logger,
      meter,
      tracer,
      shutdown,
      signal: starting.signal,
      say,
    });
    const model = createMainModel(settings);
    // 3 worker
    const working = services.includes('worker') ? await startWorking(parts, model, shutdown) : null;
    if (working) startHooks(parts, configPathOf(context.env, context.folder), shutdown);
    // 4 gateway
    const deps = { ...parts, config: settings.config, clock: systemClock };
    const { adapters, webhook } = await createAdapters(settings, services, parts);
    const gateway = startGateway(deps, adapters);
    shutdown.add('gateway', () => gateway.stop());
    // 5 pages, and with them the local web chat
    const reading = working ?? (await readingDeps(parts, model));
    const pages = await openPages(parts, deps, {
      context: contextReader(reading, parts.store),
      dashboard: services.includes('dashboard'),
      adapters,
      webhook,
      model,
      meter,
      shutdown,
    });
    // 6 the first screen
    const notes = { config: settings.config, logger, operators: parts.store.operators };
    const compactionLines = services.includes('worker') ? await autoraiseNotice(notes, model.info) : [];
    const shown = { parts, model, services, adapters, pagesUrl: pages.url, logFile };
    await printFirstScreen({ ...shown, compactionLines }, options.json);
    await told;
  } catch (thrown) {
    // Ctrl-C while something was waited for.
    if (thrown !== starting.signal.reason) throw thrown;
  } finally {
    await shutdown.run();
  }
}

/** The config on disk may be changed while we run. */
function keepWatch(
  context: CliContext,
  { configFile: path, config }: Settings,
  parts: { logger: Logger; meter: Meter; shutdown: Shutdown },
): void {
  const ends = new AbortController();
  const read = (): Config => readSettings(context.env, context.folder).config;
  const watching = watchConfigFile({ ...parts, path, config, read, clock: systemClock }, ends.signal);
  parts.shutdown.add('config watch', () => {
    ends.abort();
    return watching;
  });
}

function requireDatabase({ databaseUrl }: Settings, service: Service | undefined): void {
  if (databaseUrl) return;
  throw new GatewayError(
    'config_invalid',
    `${service} alone needs DATABASE_URL (a Postgres shared with the other services); for one machine use npm start.`,
  );
}

/** Tool servers first: a turn may begin at once, and they end after the last one. */
async function startWorking(parts: Parts, model: ModelClient, shutdown: Shutdown): Promise<WorkerDeps> {
  const { settings, logger } = parts;
  const { config, environment: variables } = settings;
  const toolServers = openToolServers({ config, variables, clock: systemClock, logger });
  shutdown.add('tool servers', () => toolServers.close());
  const plugIns = await loadInstalledPlugIns(parts);
  const deps = createWorkerDeps({ ...parts, toolServers, plugIns }, model);
  const worker = await startWorker(deps);
  shutdown.add('worker', () => worker.stop(workerStopMs));
  return deps;
}

/** throws config_invalid for a webhook without a secret */
function startHooks(parts: Parts, configPath: string, shutdown: Shutdown): void {
  const { config, environment } = parts.settings;
  const ground = { config: config.hooks, folder: dirname(configPath), environment, clock: systemClock };
  const hooks = createHooks(ground);
  const ends = new AbortController();
  const running = runHooks({ ...parts, clock: systemClock }, hooks, ends.signal);
  shutdown.add('hooks', () => {
    ends.abort();
    return running;
  });
}

/** A worker's parts where none runs: pages then tell of a session what its worker would. */
async function readingDeps(parts: Parts, model: ModelClient): Promise<WorkerDeps> {
  return createWorkerDeps({ ...parts, plugIns: await loadInstalledPlugIns(parts) }, model);
}

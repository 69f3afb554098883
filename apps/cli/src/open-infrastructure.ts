import { systemClock, type Logger, type Meter, type Tracer } from '@palimpsest/core';
import { measuredErase } from '@palimpsest/metrics';
import { createQueue } from '@palimpsest/queue';
import { migrate, openStore } from '@palimpsest/store';
import { startEmbeddedPostgres } from '../../../infra/bootstrap/embedded-postgres.ts';
import { ownerName, type Parts } from './start-parts.ts';
import type { Settings } from './settings.ts';
import type { Shutdown } from './shutdown.ts';
import { waitWhileAway } from './wait-while-away.ts';

export interface Infrastructure extends Parts {
  databaseUrl: string;
  /** For the first screen: `embedded in ./data` or host and name of the given one. */
  databaseWords: string;
}

/** How long a database or Redis that is just starting is waited for at start-up. */
const startWaitMs = 30_000;

/**
 * Database (given, else embedded in the data folder), migrations, store and queue.
 * `signal` ends the waiting: its reason is thrown.
 * throws data_folder_in_use, database_unavailable, queue_unavailable, schema_too_new, each with what to do
 */
export async function openInfrastructure(
  settings: Settings,
  base: {
    logger: Logger;
    meter: Meter;
    tracer?: Tracer;
    shutdown: Shutdown;
    signal: AbortSignal;
    say(line: string): void;
  },
): Promise<Infrastructure> {
  const { logger, meter, tracer, shutdown } = base;
  const { databaseUrl, databaseWords } = await openDatabase(settings, base);
  const waiting = { forMs: startWaitMs, clock: systemClock, say: base.say, signal: base.signal };
  const database = `the database at ${databaseWords}`;
  const { applied } = await waitWhileAway(() => migrate(databaseUrl), { ...waiting, what: database });
  if (applied > 0) logger.info({ applied }, 'database migrated');
  const opened = await openStore({ databaseUrl, logger });
  shutdown.add('store', () => opened.close());
  // The lock of the data folder proves that a former owner is gone: what it held need not run out.
  if (!settings.databaseUrl) await opened.leases.endAll();
  // A job outlives its dead worker no longer than the session's lease: wake-ups are swallowed as long as it counts as active.
  const lockMs = settings.config.worker.lease_seconds * 1000;
  const redisUrl = settings.redisUrl ?? undefined;
  const queue = await createQueue({ redisUrl, databaseUrl, logger, lockMs, stalledMs: lockMs / 2 });
  shutdown.add('queue', () => queue.close());
  await waitWhileAway(() => queue.ping(), { ...waiting, what: queueWords(settings.redisUrl) ?? database });
  const words = { databaseUrl, databaseWords };
  const store = { ...opened, erase: measuredErase(opened.erase, meter) };
  return { settings, logger, meter, tracer, store, queue, owner: ownerName(), ...words };
}

async function openDatabase(
  settings: Settings,
  base: { logger: Logger; shutdown: Shutdown },
): Promise<{ databaseUrl: string; databaseWords: string }> {
  if (settings.databaseUrl) {
    const url = new URL(settings.databaseUrl);
    return {
      databaseUrl: settings.databaseUrl,
      databaseWords: `${url.hostname}:${url.port || 5432}${url.pathname}`,
    };
  }

  const embedded = await startEmbeddedPostgres({
    dataDir: settings.dataDir,
    log: (line) => base.logger.debug({ postgres: line }, 'embedded Postgres'),
  });
  base.shutdown.add('embedded Postgres', () => embedded.stop());
  return {
    databaseUrl: embedded.databaseUrl,
    databaseWords: `embedded Postgres in ${settings.dataDir}${embedded.adopted ? ' (adopted)' : ''}`,
  };
}

/** Address of Redis without its password. */
function queueWords(redisUrl: string | null): string | null {
  if (!redisUrl) return null;
  const { hostname, port } = new URL(redisUrl);
  return `Redis at ${hostname}:${port || 6379}`;
}

import { GatewayError, type Logger, type Queue, type Store } from '@palimpsest/core';
import { createQueue } from '@palimpsest/queue';
import { openStore } from '@palimpsest/store';
import { embeddedDatabaseUrl } from '../../../infra/bootstrap/embedded-postgres.ts';
import type { CliContext } from './cli-context.ts';
import { createLogger } from './create-logger.ts';
import { readSettings, type Settings } from './settings.ts';

export interface StoreAndQueue {
  settings: Settings;
  logger: Logger;
  store: Store;
  queue: Queue;
}

/**
 * Run a command against the database of this installation: DATABASE_URL, else the running embedded one.
 * throws database_unavailable when none runs, and when its schema is not up to date
 */
export async function withStore(context: CliContext, work: (store: Store) => Promise<void>): Promise<void> {
  await withStoreOf(readSettings(context.env, context.folder), work);
}

/** The same with settings that were read already, and where that is wanted with a schema of another version. */
export async function withStoreOf(
  settings: Settings,
  work: (store: Store) => Promise<void>,
  options: { evenUnmigrated?: boolean } = {},
): Promise<void> {
  const databaseUrl = await addressOf(settings);
  const store = await openStore({ databaseUrl, logger: createLogger('warn'), poolSize: 2 });
  try {
    if (!options.evenUnmigrated) await refuseUnmigrated(store);
    await work(store);
  } finally {
    await store.close();
  }
}

/** The same with the queue that the services use, for commands that wake a session. It connects when it is used. */
export async function withStoreAndQueue(
  context: CliContext,
  work: (parts: StoreAndQueue) => Promise<void>,
): Promise<void> {
  const settings = readSettings(context.env, context.folder);
  const databaseUrl = await addressOf(settings);
  const logger = createLogger('warn');
  await withStoreOf(settings, async (store) => {
    const queue = await createQueue({ redisUrl: settings.redisUrl ?? undefined, databaseUrl, logger });
    try {
      await work({ settings, logger, store, queue });
    } finally {
      await queue.close();
    }
  });
}

/** An embedded one that was there and does not run is told apart from a given one that is away. */
async function addressOf(settings: Settings): Promise<string> {
  const databaseUrl = settings.databaseUrl ?? (await embeddedDatabaseUrl(settings.dataDir));
  if (databaseUrl) return databaseUrl;
  throw new GatewayError(
    'database_unavailable',
    `no database is running in ${settings.dataDir}. Start it with npm start, or set DATABASE_URL.`,
  );
}

async function refuseUnmigrated(store: Store): Promise<void> {
  const { migrated } = await store.operators.ping();
  if (migrated) return;
  throw new GatewayError(
    'database_unavailable',
    'the database has not the schema of this version. Run npm run -s palimpsest -- migrate, or start the service once.',
  );
}

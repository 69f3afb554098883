import { GatewayError, type Logger, type Queue, type Store } from '@palimpsest/core';
import { createQueue } from '@palimpsest/queue';
import { openStore } from '@palimpsest/store';
import { databaseUrl as urlOf, readCredentials } from '../../../infra/bootstrap/postgres/cluster.ts';
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
  const databaseUrl = addressOf(settings);
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
  const databaseUrl = addressOf(settings);
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

function addressOf(settings: Settings): string {
  const credentials = settings.databaseUrl ? undefined : readCredentials(settings.dataDir);
  const databaseUrl = settings.databaseUrl ?? (credentials ? urlOf(settings.dataDir, credentials) : null);
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

import { GatewayError, type Store } from '@palimpsest/core';
import { openStore } from '@palimpsest/store';
import { databaseUrl as urlOf, readCredentials } from '../../../infra/bootstrap/postgres/cluster.ts';
import type { CliContext } from './cli-context.ts';
import { createLogger } from './create-logger.ts';
import { readSettings } from './settings.ts';

/** Run a command against the database of this installation: DATABASE_URL, else the running embedded one. */
export async function withStore(context: CliContext, work: (store: Store) => Promise<void>): Promise<void> {
  const settings = readSettings(context.env, context.folder);
  const credentials = settings.databaseUrl ? undefined : readCredentials(settings.dataDir);
  const databaseUrl = settings.databaseUrl ?? (credentials ? urlOf(credentials) : null);
  if (!databaseUrl) {
    throw new GatewayError(
      'database_unavailable',
      `no database is running in ${settings.dataDir}. Start it with npm start, or set DATABASE_URL.`,
    );
  }
  const store = await openStore({ databaseUrl, logger: createLogger('warn'), poolSize: 2 });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

import { embeddedDatabaseUrl, startEmbeddedPostgres } from '../../../infra/bootstrap/embedded-postgres.ts';
import type { CliContext } from './cli-context.ts';
import { readSettings } from './settings.ts';

/** The address of this installation's database; the embedded one is started for as long as the work takes, if it does not run. */
export async function withDatabase(
  context: CliContext,
  work: (databaseUrl: string) => Promise<void>,
): Promise<void> {
  const { databaseUrl, dataDir } = readSettings(context.env, context.folder);
  const running = databaseUrl ?? (await embeddedDatabaseUrl(dataDir));
  if (running !== undefined) return work(running);
  const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
  try {
    await work(server.databaseUrl);
  } finally {
    await server.stop();
  }
}

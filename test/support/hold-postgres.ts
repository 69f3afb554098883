/** A process that owns a data folder until it is killed: prints the database's address, or the error's code and words. */
import { GatewayError } from '@palimpsest/core';
import { startEmbeddedPostgres } from '../../infra/bootstrap/embedded-postgres.ts';

try {
  const postgres = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', log: () => {} });
  process.stdout.write(`${postgres.databaseUrl}\n`);
  process.once('SIGTERM', async () => {
    await postgres.stop();
    process.exit(0);
  });
  // The supervisor holds no timer that keeps a process alive.
  setInterval(() => {}, 60_000);
} catch (thrown) {
  process.stdout.write(
    `${thrown instanceof GatewayError ? thrown.code : ''} ${String(thrown).replaceAll('\n', ' ')}\n`,
  );
  process.exit(1);
}

/** Before the tests that need servers: start those that `npm test` has not started; after them: clear away. */
import { randomBytes } from 'node:crypto';
import { startTestServices } from '../../infra/bootstrap/tests/test-services.ts';
import { dropRunDatabases } from './database.ts';

/** vitest calls this once a project and calls the returned function at the end. */
export async function setup(): Promise<() => Promise<void>> {
  process.env.PALIMPSEST_TEST_RUN ??= randomBytes(4).toString('hex');
  if (process.env.PALIMPSEST_TEST_DATABASE_URL && process.env.PALIMPSEST_TEST_REDIS_URL)
    return dropRunDatabases;
  const services = await startTestServices({
    redisUrl: process.env.REDIS_URL,
    log: (line) => process.stdout.write(`${line}\n`),
  });
  process.env.PALIMPSEST_TEST_DATABASE_URL ??= services.databaseUrl;
  process.env.PALIMPSEST_TEST_REDIS_URL ??= services.redisUrl;
  return async () => {
    await dropRunDatabases();
    await services[Symbol.asyncDispose]();
  };
}

/** Postgres and Redis for benches and replays: the given ones, else started here and stopped at the end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@palimpsest/cli';
import { startEmbeddedPostgres } from '../../../../infra/bootstrap/embedded-postgres.ts';
import type { EvalContext } from '../context.ts';
import { findRedis, type FoundRedis } from './find-redis.ts';

export interface Services extends AsyncDisposable {
  /** A server on which databases may be created: scratch databases only, nothing of an installation is touched. */
  databaseUrl(): Promise<string>;
  redis(): Promise<FoundRedis>;
}

/**
 * Nothing is started before it is asked for.
 *
 * tuning  `durable` for figures that are to be believed; `test` where only the outcome counts
 */
export function openServices(context: EvalContext, tuning: 'durable' | 'test'): Services {
  const settings = readSettings(context.env, context.folder);
  const stack = new AsyncDisposableStack();
  let database: Promise<string> | undefined;
  let redis: Promise<FoundRedis> | undefined;

  async function openDatabase(): Promise<string> {
    if (settings.databaseUrl) return settings.databaseUrl;
    const dataDir = mkdtempSync(join(tmpdir(), 'palimpsest-evals-'));
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    const server = await startEmbeddedPostgres({ dataDir, log: () => {}, tuning });
    stack.defer(() => server.stop());
    return server.databaseUrl;
  }

  return {
    databaseUrl: () => (database ??= openDatabase()),
    redis: () => (redis ??= findRedis(settings.redisUrl, stack)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

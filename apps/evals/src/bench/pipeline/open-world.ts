/** The service's middle on a scratch database: store, queue and the real worker, without platforms. */
import { randomBytes } from 'node:crypto';
import { createWorkerDeps, ownerName, readSettings } from '@palimpsest/cli';
import { silentLogger, silentMeter, type Store } from '@palimpsest/core';
import { createQueue } from '@palimpsest/queue';
import { migrate, openStore } from '@palimpsest/store';
import { createScratchDatabase } from '@palimpsest/testkit';
import { startWorker } from '@palimpsest/worker';
import { forgetKeys } from '../../services/find-redis.ts';
import type { QueueBackend } from '../figures.ts';
import { instantModel } from './instant-model.ts';
import type { JourneyTimes } from './journey-times.ts';
import type { Intake } from './traffic.ts';

/** Where a run's queue lies. */
export interface QueuePlace {
  backend: QueueBackend;
  databaseUrl: string;
  /** undefined: BullMQ on the database. */
  redisUrl: string | undefined;
  prefix: string;
}

/** A migrated database and a name in Redis that nobody else uses; both are cleared away with `stack`. */
export async function openPlace(
  stack: AsyncDisposableStack,
  backend: QueueBackend,
  servers: { databaseUrl: string; redisUrl: string | null },
): Promise<QueuePlace> {
  const database = stack.use(await createScratchDatabase(servers.databaseUrl, 'bench'));
  await migrate(database.url);
  const prefix = `bench_${randomBytes(6).toString('hex')}`;
  const { redisUrl } = servers;
  if (backend === 'postgres' || redisUrl === null)
    return { backend, databaseUrl: database.url, redisUrl: undefined, prefix };
  stack.defer(() => forgetKeys(redisUrl, prefix));
  return { backend, databaseUrl: database.url, redisUrl, prefix };
}

/** Everything runs in this one process with the settings of a fresh installation, as `npm start` has it. */
export async function openWorld(
  stack: AsyncDisposableStack,
  place: QueuePlace,
  times: JourneyTimes,
): Promise<Intake> {
  const settings = readSettings({}, '/nonexistent');
  const { databaseUrl } = place;
  const onStatement = (): void => times.statementSent();
  const store: Store = await openStore({ databaseUrl, logger: silentLogger, onStatement });
  stack.defer(() => store.close());
  const queue = await createQueue({ ...place, logger: silentLogger });
  stack.defer(() => queue.close());
  const parts = { settings, logger: silentLogger, meter: silentMeter, queue, owner: ownerName() };
  const worker = await startWorker(createWorkerDeps({ ...parts, store: times.watch(store) }, instantModel));
  stack.defer(() => worker.stop(5_000));
  return { store, queue, times };
}

/** Crashes between a message's arrival and its turn: the first three rows of the table. */
import { describe, expect, test } from 'vitest';
import { redisCommands } from '../../infra/bootstrap/tests/redis-client.ts';
import { redisServerIsMissing, startRedisServer } from '../support/chaos/redis-server.ts';
import { botApiSchema, openChaos, until, type ChaosWorld } from '../support/chaos/world.ts';

const ada = 501;

describe.skipIf(botApiSchema.missing)('a crash before the turn', { concurrent: true }, () => {
  test('fetched, not stored: Telegram gives the messages again', async ({ onTestFailed }) => {
    await using world = await openChaos({ onTestFailed, queue: 'redis' });
    const [gateway] = await Promise.all([world.start('gateway'), world.start('worker')]);
    await using held = await world.hold({ table: 'inbox', event: 'INSERT' });
    world.says(ada, 'm1', 'm2', 'm3');
    await held.reached();

    await gateway.kill();
    await held.release();
    expect(world.telegram.pendingUpdates()).toHaveLength(3);
    expect(await inboxRows(world)).toBe(0);
    await world.endLeases();
    await world.start('gateway');

    await world.answeredOnce(ada, ['m1', 'm2', 'm3']);
  });

  test.skipIf(redisServerIsMissing())(
    'stored, not woken (redis): what Telegram sends again is known, the sweeper wakes',
    async ({ onTestFailed }) => {
      await using redis = await startRedisServer();
      await using world = await openChaos({ onTestFailed, queue: 'redis', redisUrl: redis.url });
      const gateway = await world.start('gateway');
      redis.freeze();
      world.says(ada, 'm1', 'm2');
      await until(async () => expect(await inboxRows(world)).toBe(2));

      await gateway.kill();
      redis.thaw();
      expect(world.telegram.pendingUpdates()).toHaveLength(2);
      await world.endLeases();
      await Promise.all([world.start('gateway'), world.start('worker')]);

      await world.answeredOnce(ada, ['m1', 'm2']);
      expect(await inboxRows(world)).toBe(2);
    },
  );

  test('stored, not woken (postgres): what Telegram sends again is known, the sweeper wakes', async ({
    onTestFailed,
  }) => {
    await using world = await openChaos({ onTestFailed, queue: 'postgres' });
    const gateway = await world.start('gateway');
    await using held = await world.hold({ table: 'palimpsest_queue.job', event: 'INSERT' });
    world.says(ada, 'm1', 'm2');
    await held.reached();

    await gateway.kill();
    await held.release();
    expect(await inboxRows(world)).toBe(2);
    expect(world.telegram.pendingUpdates()).toHaveLength(2);
    await world.endLeases();
    await Promise.all([world.start('gateway'), world.start('worker')]);

    await world.answeredOnce(ada, ['m1', 'm2']);
    expect(await inboxRows(world)).toBe(2);
  });

  test.for(['redis', 'postgres'] as const)(
    'woken, not claimed (%s): the job is still there',
    async (queue, { onTestFailed }) => {
      // No sweep comes in time, so it is the job that wakes.
      await using world = await openChaos({ onTestFailed, queue, worker: { sweep_seconds: 300 } });
      await world.start('gateway');
      world.says(ada, 'm1');
      await until(async () => expect(world.telegram.pendingUpdates()).toHaveLength(0));

      await world.start('worker');

      await world.answeredOnce(ada, ['m1']);
    },
  );

  test.for(['redis', 'postgres'] as const)(
    'woken, not claimed, queue emptied (%s): the sweeper wakes',
    async (queue, { onTestFailed }) => {
      await using world = await openChaos({ onTestFailed, queue });
      await world.start('gateway');
      world.says(ada, 'm1', 'm2');
      await until(async () => expect(world.telegram.pendingUpdates()).toHaveLength(0));
      await loseJobs(world);

      await world.start('worker');

      await world.answeredOnce(ada, ['m1', 'm2']);
    },
  );
});

async function inboxRows(world: ChaosWorld): Promise<number> {
  const [row] = await world.sql('SELECT count(*)::int AS count FROM inbox');
  return Number(row?.count);
}

/** Every job and key is gone, as if the queue had never been told. */
async function loseJobs(world: ChaosWorld): Promise<void> {
  if (world.redisUrl === null) {
    await world.sql(
      'TRUNCATE palimpsest_queue.job, palimpsest_queue.dedup, palimpsest_queue.dedup_next CASCADE',
    );
    return;
  }
  const number = new URL(world.redisUrl).pathname.slice(1);
  await redisCommands(world.redisUrl, [['SELECT', number], ['FLUSHDB']]);
}

/** Redis, Postgres or a whole process goes away in mid-run and comes back (or not). */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../infra/bootstrap/embedded-postgres.ts';
import { redisServerIsMissing, startRedisServer } from '../support/chaos/redis-server.ts';
import { answers, marksIn } from '../support/chaos/scripts.ts';
import { botApiSchema, noViolations, openChaos, until, type ChaosWorld } from '../support/chaos/world.ts';

const marks = ['m1', 'm2', 'm3', 'm4', 'm5'];
const repeat = '(this may be a repeat)';

describe.skipIf(botApiSchema.missing)('in mid-run', { concurrent: true }, () => {
  test('a second process with the same token does not poll; it takes over when the first was killed', async ({
    onTestFailed,
  }) => {
    await using world = await openChaos({ onTestFailed, queue: 'redis' });
    const [first] = await Promise.all([world.start('gateway'), world.start('worker')]);
    world.says(900, 'm1');
    await world.answeredOnce(900, ['m1']);
    const second = await world.start('gateway');
    world.says(900, 'm2');
    await world.answeredOnce(900, ['m1', 'm2']);
    expect(second.log()).not.toContain('part sent');

    await first.kill();
    world.says(900, 'm3');
    world.says(901, 'm1');

    // Nobody helps: the leases of the dead one run out by themselves.
    await world.answeredOnce(900, ['m1', 'm2', 'm3']);
    await world.answeredOnce(901, ['m1']);
    // Two at once are told so by Telegram.
    expect(world.telegram.requestsTo('getUpdates').filter((call) => call.outcome === 409)).toEqual([]);
  });

  test('G6 a deploy: the second process takes over from one that is told to stop, nothing is lost and they never overlap', async ({
    onTestFailed,
  }) => {
    await using world = await openChaos({ onTestFailed, queue: 'redis' });
    const [first] = await Promise.all([world.start('gateway'), world.start('worker')]);
    world.says(910, 'm1');
    await world.answeredOnce(910, ['m1']);
    const second = await world.start('gateway');
    world.says(910, 'm2');

    const stopping = first.stop('SIGTERM');
    world.says(910, 'm3');
    expect((await stopping).code).toBe(0);
    world.says(910, 'm4');

    await world.answeredOnce(910, ['m1', 'm2', 'm3', 'm4']);
    expect(second.log()).toContain('part sent');
    // Two at once are told so by Telegram.
    expect(world.telegram.requestsTo('getUpdates').filter((call) => call.outcome === 409)).toEqual([]);
  });

  test('G8 the connections that LISTEN are cut again and again while messages go on: nothing is lost', async ({
    onTestFailed,
  }) => {
    await using world = await openChaos({ onTestFailed, queue: 'postgres' });
    const chats = Array.from({ length: 6 }, (_, index) => 750 + index);
    await Promise.all([world.start('gateway'), world.start('worker'), world.start('worker')]);
    const cut: number[] = [];

    for (const mark of marks) {
      for (const chat of chats) world.says(chat, mark);
      // The queue's connections and ours for notices; a new one stands there after each cut.
      await until(async () => {
        const rows = await world.sql(
          `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE '%LISTEN %' AND pid <> pg_backend_pid()`,
        );
        cut.push(...rows.map(({ pid }) => Number(pid)));
        expect(rows.length).toBeGreaterThan(0);
      });
      for (const chat of chats) world.says(chat, `${mark}0`);
    }

    for (const chat of chats)
      await world.answeredOnce(
        chat,
        marks.flatMap((mark) => [mark, `${mark}0`]),
      );
    expect(new Set(cut).size).toBeGreaterThan(marks.length);
  });

  test.skipIf(redisServerIsMissing())(
    'Redis emptied again and again, then killed for some seconds: nothing is lost',
    async ({ onTestFailed }) => {
      await using redis = await startRedisServer();
      await using world = await openChaos({
        onTestFailed,
        queue: 'redis',
        redisUrl: redis.url,
        script: (request) => ({ ...answers(request), delayMs: 300 }),
      });
      const chats = Array.from({ length: 10 }, (_, index) => 700 + index);
      await Promise.all([world.start('gateway'), world.start('worker'), world.start('worker')]);

      for (const mark of ['m1', 'm2', 'm3']) {
        for (const chat of chats) world.says(chat, mark);
        await wait(200);
        await redis.flush();
        await wait(400);
        await redis.flush();
      }
      await redis.kill();
      for (const chat of chats) world.says(chat, 'm4');
      await wait(4_000);
      await redis.restart();
      for (const chat of chats) world.says(chat, 'm5');

      for (const chat of chats) await world.answeredOnce(chat, marks);
    },
  );

  test.skipIf(redisServerIsMissing())(
    'a turn that runs while Redis is emptied and frozen keeps its answer',
    async ({ onTestFailed }) => {
      await using redis = await startRedisServer();
      await using world = await openChaos({
        onTestFailed,
        queue: 'redis',
        redisUrl: redis.url,
        // Longer than the queue's lock of its job.
        script: (request) => ({ ...answers(request), delayMs: 12_000 }),
      });
      await Promise.all([world.start('gateway'), world.start('worker')]);
      world.says(720, 'm1');
      await until(() => expect(world.model.requests).toHaveLength(1));
      await redis.flush();
      await wait(1_000);
      redis.freeze();
      await wait(4_000);
      redis.thaw();

      await world.answeredOnce(720, ['m1']);
      expect(world.model.requests).toHaveLength(1);
      expect(world.heard(720)).toEqual(['answer to m1']);
    },
  );

  test.for(['postgres', 'redis'] as const)(
    'Postgres killed (queue on %s): it comes back and nothing is lost',
    async (queue, { onTestFailed }) => {
      const folder = mkdtempSync(join(tmpdir(), 'palimpsest-chaos-postgres-'));
      await using stack = new AsyncDisposableStack();
      stack.defer(() => rmSync(folder, { recursive: true, force: true }));
      // Not tuned for tests: that would lose commits in a crash.
      const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
      stack.defer(() => postgres.stop());
      const world = stack.use(
        await openChaos({
          onTestFailed,
          queue,
          databaseUrl: postgres.databaseUrl,
          script: (request) => ({ ...answers(request), delayMs: 300 }),
        }),
      );
      const chats = Array.from({ length: 8 }, (_, index) => 800 + index);
      await world.start('gateway');
      await Promise.all([world.start('worker'), world.start('worker')]);

      for (const mark of marks) {
        for (const chat of chats) world.says(chat, mark);
        await wait(350);
        if (mark === 'm1' || mark === 'm3' || mark === 'm4') {
          killPostmaster(folder);
          await until(() => world.sql('SELECT 1'));
        }
      }

      for (const chat of chats) await answeredOnceOrMarked(world, chat);
      noViolations(world);
    },
  );
});

function killPostmaster(folder: string): void {
  const [pid] = readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), 'SIGKILL');
}

/** A receipt may be lost with the database: then, and only then, an answer stands there twice, the second one marked. */
async function answeredOnceOrMarked(world: ChaosWorld, chatId: number): Promise<void> {
  await until(() => {
    for (const mark of marks) expect(world.heard(chatId).join(' ')).toContain(mark);
  }, 60_000);
  await world.quiet();
  const repeats = world.heard(chatId).filter((text) => text.startsWith(repeat));
  const plain = world.heard(chatId).filter((text) => !text.startsWith(repeat));
  expect(plain.flatMap(marksIn)).toEqual(marks);
  const [unknown] = await world.sql(
    `SELECT count(*)::int AS count FROM outbox o JOIN chats c ON c.id = o.chat_row_id
      WHERE c.chat_id = $1 AND o.state = 'unknown'`,
    [String(chatId)],
  );
  expect(unknown).toEqual({ count: repeats.length });
}

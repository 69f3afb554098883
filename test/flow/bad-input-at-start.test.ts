/** Database or Redis are not there when the service starts: it says so, waits, and starts or ends with what to do. */
import { describe, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { openDoor } from '../support/open-door.ts';
import { testRedis } from '../support/redis.ts';
import { botApiSchema, openServiceWorld, until } from '../support/service-world.ts';
import { untilRunning } from '../support/chaos/program.ts';

const script = () => ({ text: 'hello' });

describe.skipIf(botApiSchema.missing)('at start', { timeout: 120_000 }, () => {
  test('a database that comes late is waited for aloud, once', async ({ expect }) => {
    await using database = await createTestDatabase();
    await using door = await openDoor(database.url);
    door.cut();
    await using world = await openServiceWorld({ databaseUrl: door.url, script });
    const where = new URL(door.url);

    const program = world.run();
    await until(() => expect(program.log()).toContain('Waiting'));
    door.heal();
    await untilRunning(program);

    expect(program.log()).toMatch(
      new RegExp(
        `^Waiting up to 30 s for the database at 127\\.0\\.0\\.1:${where.port}${where.pathname}: ` +
          'the database cannot be reached \\((ECONNRESET|08006)\\); check that Postgres runs and that DATABASE_URL names it\\.\\n$',
      ),
    );
  });

  test('Ctrl-C while a database is waited for ends the program at once', async ({ expect }) => {
    await using world = await openServiceWorld({
      databaseUrl: 'postgres://root:geheim@127.0.0.1:1/none',
      script,
    });

    const program = world.run();
    await until(() => expect(program.log()).toContain('Waiting'));
    const ended = await program.stop('SIGINT');

    expect(ended).toEqual({ code: 0, signal: null });
    expect(program.log()).toMatch(/\nStopping …\n$/);
  });

  test('a database or a Redis that does not come ends the start with address and what to do, without the password', async ({
    expect,
  }) => {
    await using database = await createTestDatabase();
    await using withoutDatabase = await openServiceWorld({
      databaseUrl: 'postgres://root:geheim@127.0.0.1:1/none',
      script,
    });
    await using withoutRedis = await openServiceWorld({
      databaseUrl: database.url,
      redisUrl: 'redis://:geheim@127.0.0.1:1',
      script,
    });

    const [first, second] = [withoutDatabase.run(), withoutRedis.run()];

    expect(await first.ended).toEqual({ code: 1, signal: null });
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(first.log().split('\n')).toEqual([
      'Waiting up to 30 s for the database at 127.0.0.1:1/none: the database cannot be reached (ECONNREFUSED); check that Postgres runs and that DATABASE_URL names it.',
      'the database at 127.0.0.1:1/none did not answer within 30 s: the database cannot be reached (ECONNREFUSED); check that Postgres runs and that DATABASE_URL names it. Then start again.',
      '',
    ]);
    const because =
      'queue turns is unreachable: Redis at 127.0.0.1:1 does not answer (ECONNREFUSED); check that Redis runs and that REDIS_URL names it.';
    expect(second.log().split('\n')).toEqual([
      `Waiting up to 30 s for Redis at 127.0.0.1:1: ${because}`,
      `Redis at 127.0.0.1:1 did not answer within 30 s: ${because} Then start again.`,
      '',
    ]);
    expect(first.output() + second.output()).toBe('');
  });

  test('a Redis that refuses the database number is not used in another one', async ({ expect }) => {
    await using database = await createTestDatabase();
    await using redis = await testRedis();
    const url = new URL(redis.url);
    url.pathname = '/99';
    await using world = await openServiceWorld({ databaseUrl: database.url, redisUrl: url.href, script });

    const program = world.run();
    await until(() => expect(program.log()).toContain('Waiting'));

    expect(program.log()).toContain(
      `Redis at ${url.host} refuses the connection (ERR DB index is out of range); check that Redis runs and that REDIS_URL names it.`,
    );
  });

  test('a database that does not exist ends the start at once, in the words of Postgres', async ({
    expect,
  }) => {
    await using database = await createTestDatabase();
    const url = new URL(database.url);
    url.pathname = '/no_such_database';
    await using world = await openServiceWorld({ databaseUrl: url.href, script });

    const program = world.run();

    expect(await program.ended).toEqual({ code: 1, signal: null });
    expect(program.log()).toBe(
      'Postgres refuses the connection (3D000): database "no_such_database" does not exist; correct DATABASE_URL, or create that database and user\n',
    );
  });
});

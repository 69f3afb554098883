/** Redis goes away while the service runs: messages are stored all the same, and answered once when it is back. */
import { describe, test } from 'vitest';
import { answerText, gate } from '../support/chaos/scripts.ts';
import { createTestDatabase } from '../support/database.ts';
import { openDoor } from '../support/open-door.ts';
import { testRedis } from '../support/redis.ts';
import { botApiSchema, openServiceWorld, until } from '../support/service-world.ts';

describe.skipIf(botApiSchema.missing)('Redis is away in mid-run', { timeout: 90_000 }, () => {
  test('messages of platform and page are taken, readyz names Redis, and each is answered once afterwards', async ({
    expect,
  }) => {
    await using database = await createTestDatabase();
    await using redis = await testRedis();
    await using door = await openDoor(redis.url);
    const first = gate();
    await using world = await openServiceWorld({
      databaseUrl: database.url,
      redisUrl: door.url,
      script: async (request) => {
        if (request.index === 0) await first.pass();
        return { text: answerText(request) };
      },
    });
    await world.start();
    world.telegram.userSends({ chatId: 1, text: 'm1' });
    await first.reached;
    await until(async () => expect((await world.ask('/readyz')).status).toBe(200));

    door.cut();
    world.telegram.userSends({ chatId: 1, text: 'm2' });
    const taken = await world.post('note-1', 'm7 from the page');
    const unready = await until(async () => {
      const answer = await world.ask('/readyz');
      expect(answer.status).toBe(503);
      return answer;
    });
    first.open();
    await until(() => expect(world.telegram.pendingUpdates()).toEqual([]));
    door.heal();

    expect(taken).toEqual({ status: 202, body: { result: 'stored' } });
    expect(unready.body.checks?.filter((check) => !check.ok).map((check) => check.name)).toEqual(['queue']);
    expect(unready.body.checks?.find((check) => check.name === 'queue')?.detail).toMatch(
      /^queue turns is unreachable: (Redis at 127\.0\.0\.1:\d+ does not answer \(\w+\)|not connected|no answer within 2000 ms); check that Redis runs and that REDIS_URL names it$/,
    );
    await until(() => expect(world.heard(1)).toEqual(['answer to m1', 'answer to m2']));
    await until(async () => expect(await world.lines()).toEqual(['m7 from the page', 'answer to m7']));
    await until(async () => expect((await world.ask('/readyz')).status).toBe(200));
    expect(world.telegram.violations).toEqual([]);
    expect(world.model.violations).toEqual([]);
  });
});

import { expect, test, vi } from 'vitest';
import { fillDisk, type FullDisk } from '../support/full-disk.ts';
import { openTurnWorld } from '../support/turn-world.ts';

test('on a full disk a message is refused with what to do, and the same message is stored once there is room', async () => {
  await using world = await openTurnWorld({ script: () => ({ text: 'Hello Ada.' }) });
  const disk = await fillDisk(world.databaseUrl, { table: 'inbox' });

  await expect(world.say('Hi there')).rejects.toMatchObject({
    code: 'database_full',
    retryable: true,
    message:
      'the database has no disk space left (53100); free disk space where Postgres keeps its data; messages are taken again as soon as a write succeeds',
  });
  await disk.free();
  await world.say('Hi there');

  expect(await world.hear(1)).toEqual(['Hello Ada.']);
});

test('a message that was taken before the disk was full waits, without a spinning worker, and is answered once', async () => {
  let calls = 0;
  await using world = await openTurnWorld({ script: () => ({ text: `answer ${++calls}` }) });
  await world.say('first');
  await world.hear(1);

  const disk = await fillDisk(world.databaseUrl, { table: 'messages' });
  const startedAt = performance.now();
  await world.say('second');
  await refusals(disk, 4);
  const spanMs = performance.now() - startedAt;
  await disk.free();

  // Every look after the first is the sweeper's, which comes once a second here.
  expect(spanMs).toBeGreaterThan(1_500);
  expect(await world.hear(2)).toEqual(['answer 1', 'answer 2']);
  expect((await world.rows()).map((row) => row.kind)).toEqual(['person', 'assistant', 'person', 'assistant']);
});

test('an answer that does not fit on the disk is not given up, however often the disk is found full', async () => {
  let calls = 0;
  await using world = await openTurnWorld({
    script: () => ({ text: `answer ${++calls}` }),
    config: 'worker:\n  max_turn_attempts: 2\n',
  });

  const disk = await fillDisk(world.databaseUrl, { table: 'messages', when: "NEW.role = 'assistant'" });
  await world.say('hello?');
  await refusals(disk, 3);
  await disk.free();
  const [answer, ...more] = await world.hear(1);
  await world.say('still there?');
  await world.hear(2);

  expect(answer).toMatch(/^answer \d+$/);
  expect(more).toEqual([]);
  expect((await world.rows()).map((row) => row.kind)).toEqual(['person', 'assistant', 'person', 'assistant']);
});

async function refusals(disk: FullDisk, count: number): Promise<void> {
  await vi.waitFor(async () => expect(await disk.refused()).toBeGreaterThanOrEqual(count), {
    timeout: 20_000,
    interval: 50,
  });
}

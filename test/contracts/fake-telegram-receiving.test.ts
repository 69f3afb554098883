/** getUpdates of the fake, as the real server does it. */
import { describe, expect, test } from 'vitest';
import { botApiSchema, openTelegram, refusalOf } from '../support/fake-telegram.ts';

const ids = (updates: readonly { update_id: number }[]) => updates.map(({ update_id }) => update_id);

describe.skipIf(botApiSchema.missing)('getUpdates', () => {
  test('an update stays until a call with a higher offset', async () => {
    await using world = await openTelegram({ firstUpdateId: 10 });
    world.fake.userSends({ chatId: 5, text: 'one' });
    world.fake.userSends({ chatId: 5, text: 'two' });

    const first = await world.api.getUpdates();
    const again = await world.api.getUpdates();
    const same = await world.api.getUpdates({ offset: 10 });
    const later = await world.api.getUpdates({ offset: 11 });
    const none = await world.api.getUpdates({ offset: 12 });

    expect([first, again, same, later, none].map(ids)).toEqual([[10, 11], [10, 11], [10, 11], [11], []]);
  });

  test('a negative offset drops all but the last', async () => {
    await using world = await openTelegram({ firstUpdateId: 10 });
    for (const text of ['a', 'b', 'c', 'd']) world.fake.userSends({ chatId: 5, text });

    const lastTwo = await world.api.getUpdates({ offset: -2 });
    const after = await world.api.getUpdates();

    expect([lastTwo, after].map(ids)).toEqual([
      [12, 13],
      [12, 13],
    ]);
  });

  test('limit bounds the batch, and a limit outside 1 to 100 is a violation', async () => {
    await using world = await openTelegram({ firstUpdateId: 1 });
    for (const text of ['a', 'b', 'c']) world.fake.userSends({ chatId: 5, text });

    const two = await world.api.getUpdates({ limit: 2 });
    const most = await world.api.getUpdates({ limit: 101 });

    expect([two, most].map(ids)).toEqual([
      [1, 2],
      [1, 2, 3],
    ]);
    expect(world.fake.violations).toEqual(['getUpdates: limit 101 is not 1 to 100']);
  });

  test('a held call is answered as soon as something arrives', async () => {
    await using world = await openTelegram();

    const held = world.api.getUpdates({ timeout: 50 });
    await expect.poll(() => world.fake.requests.length).toBe(1);
    world.fake.userSends({ chatId: 5, text: 'now' });

    expect((await held)[0]?.message?.text).toBe('now');
  });

  test('a held call ends empty when its time is up', async () => {
    await using world = await openTelegram();

    expect(await world.api.getUpdates({ timeout: 1 })).toEqual([]);
  });

  test('a client that leaves a held call confirms nothing', async () => {
    await using world = await openTelegram();
    const leave = new AbortController();

    const url = `${world.fake.apiRoot}/bot${world.fake.token}/getUpdates?timeout=50`;
    const held = fetch(url, { signal: leave.signal }).catch(() => 'left');
    await expect.poll(() => world.fake.requests.length).toBe(1);
    leave.abort();
    await held;
    world.fake.userSends({ chatId: 5, text: 'kept' });

    expect((await world.api.getUpdates())[0]?.message?.text).toBe('kept');
  });

  test('allowed_updates persists, and its default leaves reactions out', async () => {
    await using world = await openTelegram({ firstUpdateId: 1 });
    const user = { id: 5, is_bot: false, first_name: 'Ann' };
    const chat = { id: 5, type: 'private', first_name: 'Ann' };
    const change = { chat, message_id: 1, date: 1, old_reaction: [], new_reaction: [], user };

    world.fake.pushUpdate({ update_id: 1, message_reaction: change });
    const byDefault = await world.api.getUpdates();
    await world.api.getUpdates({ allowed_updates: ['message_reaction'] });
    await world.api.getUpdates();
    world.fake.pushUpdate({ update_id: 2, message_reaction: change });
    world.fake.userSends({ chatId: 5, text: 'not wanted' });
    const wanted = await world.api.getUpdates();
    await world.api.getUpdates({ allowed_updates: [] });
    world.fake.userSends({ chatId: 5, text: 'wanted again' });
    const reset = await world.api.getUpdates({ offset: 3 });

    expect([byDefault, wanted, reset].map(ids)).toEqual([[], [2], [4]]);
  });

  test('a kind of update that does not exist is a violation', async () => {
    await using world = await openTelegram();

    await world.api.raw.getUpdates({ allowed_updates: JSON.parse('["mesage"]') });

    expect(world.fake.violations).toEqual(['allowed_updates: mesage is no kind of update']);
  });

  test('ids ascend, may jump, and may come out lower after a week of silence', async () => {
    await using world = await openTelegram({ firstUpdateId: 10 });
    world.fake.userSends({ chatId: 5, text: 'a' });
    world.fake.nextUpdateId = 500;
    world.fake.userSends({ chatId: 5, text: 'b' });
    const jumped = await world.api.getUpdates();
    await world.api.getUpdates({ offset: 501 });
    world.fake.nextUpdateId = 3;
    world.fake.userSends({ chatId: 5, text: 'c' });

    expect(ids(jumped)).toEqual([10, 500]);
    expect(ids(await world.api.getUpdates())).toEqual([3]);
  });

  test('updates are kept for a day', async () => {
    await using world = await openTelegram({ firstUpdateId: 1 });
    world.fake.userSends({ chatId: 5, text: 'old' });
    world.pass(24 * 60 * 60 - 1);
    const lastSecond = await world.api.getUpdates();
    world.pass(1);

    expect(ids(lastSecond)).toEqual([1]);
    expect(await world.api.getUpdates()).toEqual([]);
  });

  test('a second call ends the first with 409', async () => {
    await using world = await openTelegram({ firstUpdateId: 1 });

    const first = refusalOf(world.api.getUpdates({ timeout: 50 }));
    await expect.poll(() => world.fake.requests.length).toBe(1);
    const second = world.api.getUpdates({ timeout: 50 });
    const refusal = await first;
    world.fake.userSends({ chatId: 5, text: 'for the second' });

    expect(refusal).toEqual([
      409,
      'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    ]);
    expect(ids(await second)).toEqual([1]);
  });
});

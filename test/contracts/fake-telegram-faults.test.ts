/** Faults of the fake: lost answers, refusals, delays, chats that are gone. */
import { HttpError } from 'grammy';
import { describe, expect, test } from 'vitest';
import { botApiSchema, openTelegram, refusalOf } from '../support/fake-telegram.ts';

describe.skipIf(botApiSchema.missing)('faults', () => {
  test('a planned refusal is answered once, with its parameters, and nothing is done', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    world.fake.failNext('sendMessage', {
      error_code: 429,
      description: 'Too Many Requests: retry after 13938',
      parameters: { retry_after: 13938 },
    });

    const refused = await world.api.sendMessage(5, 'one').catch((cause: unknown) => cause);
    await world.api.sendMessage(5, 'two');

    expect(refused).toMatchObject({ error_code: 429, parameters: { retry_after: 13938 } });
    expect(world.fake.sent(5).map(({ text }) => text)).toEqual(['two']);
  });

  test('a dropped answer leaves the message sent and the client without knowledge', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    world.fake.dropAnswerNext('sendMessage');

    const outcome = await world.api.sendMessage(5, 'once').catch((cause: unknown) => cause);

    expect(outcome).toBeInstanceOf(HttpError);
    expect(world.fake.sent(5).map(({ text }) => text)).toEqual(['once']);
    expect(world.fake.requests[0]?.outcome).toBe('no_answer');
  });

  test('a cut line leaves nothing sent', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    world.fake.refuseAnswerNext('sendMessage');

    const outcome = await world.api.sendMessage(5, 'never').catch((cause: unknown) => cause);

    expect(outcome).toBeInstanceOf(HttpError);
    expect(world.fake.sent(5)).toEqual([]);
  });

  test("a proxy's page instead of an answer does not look like a Bot API error", async () => {
    await using world = await openTelegram();
    world.fake.answerRawNext('any', 502, '<html>Bad Gateway</html>');

    const outcome = await world.api.getMe().catch((cause: unknown) => cause);

    expect(outcome).toBeInstanceOf(HttpError);
    expect(world.fake.requests[0]?.outcome).toBe('raw');
  });

  test('a held answer comes only after its release, though the message is there', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    const held = world.fake.holdNext('sendMessage');
    let answered = false;

    const sending = world.api.sendMessage(5, 'slow').then(() => {
      answered = true;
    });
    await held.reached;
    const before = { answered, visible: world.fake.sent(5).length };
    held.release();
    await sending;

    expect(before).toEqual({ answered: false, visible: 1 });
    expect(answered).toBe(true);
  });

  test('a delayed answer arrives', async () => {
    await using world = await openTelegram();
    world.fake.delayNext('getMe', 20);

    expect((await world.api.getMe()).id).toBe(7000000001);
  });

  test('blocked, kicked and migrated chats refuse as Telegram does', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    world.fake.addChat({ id: -6, type: 'group' });
    world.fake.addChat({ id: -7, type: 'group', title: 'Team' });
    world.fake.setChatStatus(5, 'blocked');
    world.fake.setChatStatus(-6, 'kicked');
    world.fake.migrateChat(-7, -1007, 5);

    const migrated = await world.api.sendMessage(-7, 'x').catch((cause: unknown) => cause);
    const updates = await world.api.getUpdates();

    expect(await refusalOf(world.api.sendMessage(5, 'x'))).toEqual([
      403,
      'Forbidden: bot was blocked by the user',
    ]);
    expect(await refusalOf(world.api.sendMessage(-6, 'x'))).toEqual([
      403,
      'Forbidden: bot was kicked from the group chat',
    ]);
    expect(migrated).toMatchObject({
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: -1007 },
    });
    expect(
      updates.map(({ message }) => [
        message?.chat.id,
        message?.migrate_to_chat_id,
        message?.migrate_from_chat_id,
      ]),
    ).toEqual([
      [-7, -1007, undefined],
      [-1007, undefined, -7],
    ]);
    expect((await world.api.sendMessage(-1007, 'moved')).chat.title).toBe('Team');
  });

  test('a bot that never was written to cannot begin a conversation', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    world.fake.setChatStatus(5, 'not_started');

    expect(await refusalOf(world.api.sendMessage(5, 'x'))).toEqual([
      403,
      "Forbidden: bot can't initiate conversation with a user",
    ]);
  });
});

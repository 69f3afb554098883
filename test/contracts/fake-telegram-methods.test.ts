/** Menus, deletions, reactions, buttons, drafts and waiting in the fake. */
import { describe, expect, test } from 'vitest';
import { botApiSchema, openTelegram, refusalOf, type TelegramWorld } from '../support/fake-telegram.ts';

const go = { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] };

/** A world with one private chat, 5. */
async function openChat(): Promise<TelegramWorld> {
  const world = await openTelegram();
  world.fake.addChat({ id: 5, type: 'private' });
  return world;
}

describe.skipIf(botApiSchema.missing)('smaller methods', () => {
  test('menus are kept by scope and language, and faulty commands are refused', async () => {
    await using world = await openChat();
    const help = { command: 'help', description: 'What I can do' };
    const many = Array.from({ length: 101 }, (_, index) => ({
      command: `c${index}`,
      description: 'd',
    }));

    await world.api.setMyCommands([help], {
      scope: { type: 'all_private_chats' },
      language_code: 'de',
    });

    expect(world.fake.commands({ type: 'all_private_chats' }, 'de')).toEqual([help]);
    expect(await world.api.getMyCommands()).toEqual([]);
    expect(await refusalOf(world.api.setMyCommands(many))).toEqual([
      400,
      'Bad Request: BOT_COMMANDS_TOO_MUCH',
    ]);
    expect(await refusalOf(world.api.setMyCommands([{ ...help, command: 'Help' }]))).toEqual([
      400,
      'Bad Request: BOT_COMMAND_INVALID',
    ]);
  });

  test('a deleted message is no longer visible, and only once', async () => {
    await using world = await openChat();
    await world.api.sendMessage(5, 'x');

    await world.api.deleteMessage(5, 1);

    expect(world.fake.sent(5)).toEqual([]);
    expect(await refusalOf(world.api.deleteMessage(5, 1))).toEqual([
      400,
      'Bad Request: message to delete not found',
    ]);
  });

  test('messages older than 48 hours cannot be deleted', async () => {
    await using world = await openChat();
    await world.api.sendMessage(5, 'x');
    world.pass(48 * 60 * 60);

    expect(await refusalOf(world.api.deleteMessage(5, 1))).toEqual([
      400,
      "Bad Request: message can't be deleted for everyone",
    ]);
  });

  test('a reaction replaces the one before, and only emoji of the list are taken', async () => {
    await using world = await openChat();
    world.fake.userSends({ chatId: 5, text: 'hi' });

    await world.api.setMessageReaction(5, 1, [{ type: 'emoji', emoji: '👀' }]);
    await world.api.setMessageReaction(5, 1, [{ type: 'emoji', emoji: '👍' }]);
    const refused = await refusalOf(
      world.api.setMessageReaction(5, 1, [{ type: 'emoji', emoji: JSON.parse('"✅"') }]),
    );

    expect(world.fake.reaction(5, 1)).toBe('👍');
    expect(refused).toEqual([400, 'Bad Request: REACTION_INVALID']);
  });

  test('a pressed button is answered once and not after it expired', async () => {
    await using world = await openChat();
    await world.api.sendMessage(5, 'Choose', { reply_markup: go });
    world.fake.userPresses({ chatId: 5, messageId: 1, data: 'go' });
    world.fake.userPresses({ chatId: 5, messageId: 1, data: 'go' });
    const [first, second] = await world.api.getUpdates();
    const tooOld = [400, 'Bad Request: query is too old and response timeout expired or query ID is invalid'];

    await world.api.answerCallbackQuery(first?.callback_query?.id ?? '', { text: 'done' });
    const twice = await refusalOf(world.api.answerCallbackQuery(first?.callback_query?.id ?? ''));
    world.fake.expireCallbacks();
    const late = await refusalOf(world.api.answerCallbackQuery(second?.callback_query?.id ?? ''));

    expect(first?.callback_query).toMatchObject({
      data: 'go',
      from: { id: 5 },
      message: { message_id: 1 },
    });
    expect(world.fake.callbackAnswers).toEqual([{ callback_query_id: 'callback-1', text: 'done' }]);
    expect([twice, late]).toEqual([tooOld, tooOld]);
  });

  test('a draft can be stopped where it has a button, and says which one it was', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    await world.api.raw.sendMessageDraft({ chat_id: 5, draft_id: 7, text: 'Thin' });
    const without = () => world.fake.userStopsDraft(5);
    expect(without).toThrow('chat 5 shows no draft that can be stopped');

    await world.api.raw.sendMessageDraft({ chat_id: 5, draft_id: 7, text: 'Think', can_stop: true });
    world.fake.userStopsDraft(5);

    const [update] = await world.api.getUpdates();
    expect(update?.stopped_message_generation).toMatchObject({ chat: { id: 5 }, draft_id: 7 });
    expect(world.fake.draft(5)).toBeUndefined();
    expect(world.fake.violations).toEqual([]);
  });

  test('a draft lives 30 seconds or until the real message', async () => {
    await using world = await openChat();
    await world.api.raw.sendMessageDraft({ chat_id: 5, draft_id: 7, text: 'Thin' });
    const live = world.fake.draft(5)?.text;
    world.pass(30);
    const faded = world.fake.draft(5);
    await world.api.raw.sendMessageDraft({ chat_id: 5, draft_id: 7, text: 'Thinking' });
    await world.api.sendMessage(5, 'Thought');

    expect([live, faded, world.fake.draft(5)]).toEqual(['Thin', undefined, undefined]);
    expect(world.fake.sent(5).map(({ text }) => text)).toEqual(['Thought']);
  });

  test('an edit of a person is an edited_message with a fresh update id', async () => {
    await using world = await openTelegram({ firstUpdateId: 1 });
    world.fake.userSends({ chatId: 5, text: 'helo', date: 100 });
    world.fake.userSends({ chatId: 5, text: 'hello', messageId: 1, edit: true, date: 160 });

    const [, edit] = await world.api.getUpdates();

    expect(edit).toMatchObject({
      update_id: 2,
      edited_message: { message_id: 1, text: 'hello', date: 100, edit_date: 160 },
    });
  });

  test('waiting for a message sees later sends and edits, and says so when none comes', async () => {
    await using world = await openChat();
    const waiting = world.fake.waitForSent(({ text }) => text === 'final');
    await world.api.sendMessage(5, 'draft');
    await world.api.editMessageText(5, 1, 'final');

    expect((await waiting).edits).toEqual(['draft']);
    await expect(world.fake.waitForSent(() => false, 1)).rejects.toThrow(
      'no such message within 1 ms; 1 are visible',
    );
  });

  test('a method of the schema that the fake does not carry out is a violation', async () => {
    await using world = await openChat();

    await refusalOf(world.api.sendDice(5, '🎲'));

    expect(world.fake.violations).toEqual(['the fake does not offer sendDice']);
  });
});

/** Edits, replies, topics and sending limits of the fake. */
import { describe, expect, test } from 'vitest';
import { botApiSchema, openTelegram, refusalOf, type TelegramWorld } from '../support/fake-telegram.ts';

const SAME =
  'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';
const go = { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] };

/** A world with one private chat, 5. */
async function openChat(options: { liftRateLimits?: boolean } = {}): Promise<TelegramWorld> {
  const world = await openTelegram(options);
  world.fake.addChat({ id: 5, type: 'private' });
  return world;
}

describe.skipIf(botApiSchema.missing)('edits', () => {
  test('an edit changes the visible text and keeps the earlier ones', async () => {
    await using world = await openChat();
    await world.api.sendMessage(5, 'one');

    await world.api.editMessageText(5, 1, 'two');
    const edited = await world.api.editMessageText(5, 1, 'three');

    expect(edited).toMatchObject({ message_id: 1, edit_date: Date.UTC(2026, 8, 1, 12) / 1000 });
    expect(world.fake.sent(5)).toMatchObject([{ message_id: 1, text: 'three', edits: ['one', 'two'] }]);
  });

  test('the same text and markup is refused, the same text with other markup is not', async () => {
    await using world = await openChat();
    await world.api.sendMessage(5, '<b>same</b>', { parse_mode: 'HTML', reply_markup: go });

    const same = await refusalOf(
      world.api.editMessageText(5, 1, '*same*', { parse_mode: 'MarkdownV2', reply_markup: go }),
    );
    await world.api.editMessageText(5, 1, 'same', { reply_markup: go });

    expect(same).toEqual([400, SAME]);
    expect(world.fake.sent(5)[0]?.entities).toEqual([]);
  });

  test('leaving out reply_markup removes the keyboard', async () => {
    await using world = await openChat();
    await world.api.sendMessage(5, 'same', { reply_markup: go });

    await world.api.editMessageText(5, 1, 'same');

    expect(world.fake.sent(5)[0]).not.toHaveProperty('reply_markup');
    expect(await refusalOf(world.api.editMessageReplyMarkup(5, 1))).toEqual([400, SAME]);
  });

  test("missing messages, others' messages and those with a reply keyboard cannot be edited", async () => {
    await using world = await openChat();
    world.fake.userSends({ chatId: 5, text: 'mine' });
    await world.api.sendMessage(5, 'x', { reply_markup: { keyboard: [[{ text: 'yes' }]] } });

    expect(await refusalOf(world.api.editMessageText(5, 9, 'x'))).toEqual([
      400,
      'Bad Request: message to edit not found',
    ]);
    expect(await refusalOf(world.api.editMessageText(5, 1, 'x'))).toEqual([
      400,
      "Bad Request: message can't be edited",
    ]);
    expect(await refusalOf(world.api.editMessageText(5, 2, 'y'))).toEqual([
      400,
      "Bad Request: message can't be edited",
    ]);
  });
});

describe.skipIf(botApiSchema.missing)('replies and topics', () => {
  test('a reply to a missing message is refused unless it may go without', async () => {
    await using world = await openChat();
    const missing = { message_id: 99 };

    const refused = await refusalOf(world.api.sendMessage(5, 'x', { reply_parameters: missing }));
    await world.api.sendMessage(5, 'y', {
      reply_parameters: { ...missing, allow_sending_without_reply: true },
    });

    expect(refused).toEqual([400, 'Bad Request: message to be replied not found']);
    expect(world.fake.sent(5)).toHaveLength(1);
    expect(world.fake.sent(5)[0]).not.toHaveProperty('reply_to');
  });

  test('an unknown chat is refused', async () => {
    await using world = await openChat();

    expect(await refusalOf(world.api.sendMessage(6, 'x'))).toEqual([400, 'Bad Request: chat not found']);
  });

  test('a message in a topic carries the thread and points at the topic', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: -100, type: 'supergroup', is_forum: true });
    const topic = world.fake.addTopic(-100, 'News', 5);

    world.fake.userSends({ chatId: -100, from: 5, text: 'in the topic', threadId: topic });
    world.fake.userSends({ chatId: -100, from: 5, text: 'in General' });
    const sent = await world.api.sendMessage(-100, 'answer', { message_thread_id: topic });
    const [inTopic, inGeneral] = await world.api.getUpdates();

    expect(inTopic?.message).toMatchObject({
      message_thread_id: topic,
      is_topic_message: true,
      reply_to_message: { message_id: topic, forum_topic_created: { name: 'News' } },
    });
    expect(inGeneral?.message).not.toHaveProperty('message_thread_id');
    expect(sent).toMatchObject({ message_thread_id: topic, is_topic_message: true });
    expect(world.fake.sent(-100)[0]).toMatchObject({ threadId: topic });
    expect(world.fake.sent(-100)[0]).not.toHaveProperty('reply_to');
  });

  test('a reply chain in a plain supergroup has a thread id that is no topic', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: -100, type: 'supergroup' });
    world.fake.userSends({ chatId: -100, from: 5, text: 'root' });
    world.fake.userSends({ chatId: -100, from: 6, text: 'branch', replyTo: 1 });

    const [, branch] = await world.api.getUpdates();

    expect(branch?.message).toMatchObject({
      message_thread_id: 1,
      reply_to_message: { message_id: 1 },
    });
    expect(branch?.message).not.toHaveProperty('is_topic_message');
    expect(await refusalOf(world.api.sendMessage(-100, 'x', { message_thread_id: 1 }))).toEqual([
      400,
      'Bad Request: message thread not found',
    ]);
  });

  test('deleted topics and the id of General are no place to send, but General shows typing', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: -100, type: 'supergroup', is_forum: true });
    world.fake.nextUpdateId = 1;
    world.fake.userSends({ chatId: -100, from: 5, text: 'first' });
    const topic = world.fake.addTopic(-100, 'Old', 5);
    world.fake.setTopicState(-100, topic, 'deleted');

    const refused = [400, 'Bad Request: message thread not found'];
    expect(await refusalOf(world.api.sendMessage(-100, 'x', { message_thread_id: topic }))).toEqual(refused);
    expect(await refusalOf(world.api.sendMessage(-100, 'x', { message_thread_id: 1 }))).toEqual(refused);
    await world.api.sendChatAction(-100, 'typing', { message_thread_id: 1 });
    expect(world.fake.actions).toEqual([{ chatId: -100, action: 'typing', threadId: 1 }]);
  });

  test('going without a reply does not help across topics', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: -100, type: 'supergroup', is_forum: true });
    const one = world.fake.addTopic(-100, 'One', 5);
    const two = world.fake.addTopic(-100, 'Two', 5);
    world.fake.userSends({ chatId: -100, from: 5, text: 'in one', threadId: one, messageId: 50 });

    const across = { message_id: 50, allow_sending_without_reply: true };
    const refused = await refusalOf(
      world.api.sendMessage(-100, 'x', { message_thread_id: two, reply_parameters: across }),
    );

    expect(refused).toEqual([400, 'Bad Request: message to be replied not found']);
  });
});

describe.skipIf(botApiSchema.missing)('sending limits', () => {
  test('a private chat takes a short burst, then about one message a second', async () => {
    await using world = await openChat();
    for (const text of ['1', '2', '3', '4']) await world.api.sendMessage(5, text);

    const tooFast = await world.api.sendMessage(5, '5').catch((cause: unknown) => cause);
    world.pass(4);
    await world.api.sendMessage(5, '5');

    expect(tooFast).toMatchObject({
      error_code: 429,
      description: 'Too Many Requests: retry after 4',
      parameters: { retry_after: 4 },
    });
    expect(world.fake.sent(5).map(({ text }) => text)).toEqual(['1', '2', '3', '4', '5']);
  });

  test('a group takes twenty messages a minute, edits included', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: -6, type: 'group' });
    for (let count = 0; count < 10; count += 1) {
      const { message_id } = await world.api.sendMessage(-6, `message ${count}`);
      await world.api.editMessageText(-6, message_id, `edited ${count}`);
      world.pass(2);
    }

    expect(await refusalOf(world.api.sendMessage(-6, 'x'))).toEqual([
      429,
      'Too Many Requests: retry after 40',
    ]);
    world.pass(40);
    await world.api.sendMessage(-6, 'x');
  });

  test('thirty messages a second pass over all chats', async () => {
    await using world = await openTelegram();
    for (let id = 1; id <= 31; id += 1) world.fake.addChat({ id, type: 'private' });
    for (let id = 1; id <= 30; id += 1) await world.api.sendMessage(id, 'x');

    expect(await refusalOf(world.api.sendMessage(31, 'x'))).toEqual([
      429,
      'Too Many Requests: retry after 1',
    ]);
  });

  test('the limits can be lifted, and one chat can be closed for hours all the same', async () => {
    await using world = await openChat({ liftRateLimits: true });
    for (let count = 0; count < 40; count += 1) await world.api.sendMessage(5, 'x');
    world.fake.floodChat(5, 13938);
    world.pass(38);

    expect(await refusalOf(world.api.sendMessage(5, 'x'))).toEqual([
      429,
      'Too Many Requests: retry after 13900',
    ]);
  });
});

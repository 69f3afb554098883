/** Topics of Telegram and threads of Discord on the whole way: each is a conversation of its own, answered where it is. */
import { startFakeTelegram } from '@palimpsest/testkit';
import { describe, expect, test } from 'vitest';
import { said } from '../support/busy-world.ts';
import { discordAdapterOf } from '../support/discord-adapter.ts';
import { ada, discordSchema, startDiscord } from '../support/discord.ts';
import { adapterOf, botApiSchema } from '../support/fake-telegram.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

const person = 4_242;
const forum = -1_001;
const ordinary = -1_002;
const mention = '@palimpsest_test_bot';

/** Answers with the last words of everything that people said in this conversation. */
const telling: Parameters<typeof openTurnWorld>[0]['script'] = (request) => ({
  text: `read: ${said(request)
    .map((line) => line.split(' ').at(-1))
    .join(', ')}`,
});

describe.skipIf(botApiSchema.missing)('on Telegram', () => {
  async function open() {
    const stack = new AsyncDisposableStack();
    const telegram = stack.use(
      await startFakeTelegram({ schemaPath: botApiSchema.path, liftRateLimits: true }),
    );
    telegram.addChat({ id: forum, type: 'supergroup', title: 'Forum', is_forum: true });
    telegram.addChat({ id: ordinary, type: 'supergroup', title: 'Ordinary' });
    telegram.addChat({ id: person, type: 'private', first_name: 'Ada' });
    // General is the topic of message id 1.
    for (const chatId of [forum, person]) telegram.addTopic(chatId, 'General', person);
    const config = `platforms: {telegram: {allowed_users: [${person}], stream: off}}`;
    stack.use(await openTurnWorld({ script: telling, config, adapters: [adapterOf(telegram)] }));
    return {
      telegram,
      /** Ask and wait for the answer; where it stands and what it says. */
      async asks(chatId: number, text: string, wish: { threadId?: number; replyTo?: number } = {}) {
        const before = telegram.sent(chatId).length;
        telegram.userSends({ chatId, from: person, text, ...wish });
        await until(() => telegram.sent(chatId).length > before);
        const { params } = telegram.requestsTo('sendMessage').at(-1)!;
        return [params.message_thread_id, telegram.sent(chatId).at(-1)!.text];
      },
      async [Symbol.asyncDispose]() {
        const { violations } = telegram;
        await stack.disposeAsync();
        expect(violations).toEqual([]);
      },
    };
  }

  test('each topic of a forum and General have conversations of their own, and are answered where they are', async () => {
    await using room = await open();
    const ferries = room.telegram.addTopic(forum, 'Ferries', person);
    const plums = room.telegram.addTopic(forum, 'Plums', person);

    expect(await room.asks(forum, `${mention} nine`, { threadId: ferries })).toEqual([ferries, 'read: nine']);
    expect(await room.asks(forum, `${mention} blue`, { threadId: plums })).toEqual([plums, 'read: blue']);
    expect(await room.asks(forum, `${mention} hello`)).toEqual([undefined, 'read: hello']);
    expect(await room.asks(forum, `${mention} ten`, { threadId: ferries })).toEqual([
      ferries,
      'read: nine, ten',
    ]);
    expect((await room.asks(forum, `/whoami${mention}`, { threadId: plums }))[1]).toContain(
      `chat ${forum}, thread ${plums}`,
    );
  });

  test('topics of a direct chat are conversations of their own', async () => {
    await using room = await open();
    const trip = room.telegram.addTopic(person, 'Trip', person);

    expect(await room.asks(person, 'nine', { threadId: trip })).toEqual([trip, 'read: nine']);
    expect(await room.asks(person, 'blue')).toEqual([undefined, 'read: blue']);
    expect(await room.asks(person, 'ten', { threadId: trip })).toEqual([trip, 'read: nine, ten']);
  });

  test('G18 a chain of replies in an ordinary group is no topic: it is answered in the chat, in its one conversation', async () => {
    await using room = await open();
    room.telegram.userSends({ chatId: ordinary, from: person, messageId: 70, text: 'lunch?' });

    expect(await room.asks(ordinary, `${mention} nine`)).toEqual([undefined, 'read: nine']);
    expect(await room.asks(ordinary, `${mention} ten`, { replyTo: 70 })).toEqual([
      undefined,
      'read: nine, ten',
    ]);
  });
});

describe.skipIf(discordSchema.missing)('on Discord', () => {
  test('a thread has a conversation of its own and is answered there', async () => {
    await using discord = await startDiscord({ liftRateLimits: true });
    const guild = discord.addGuild({ members: [ada] });
    const parentId = discord.addTextChannel({ guildId: guild.id }).id;
    const threadId = discord.addThread({ parentId }).id;
    const config = `platforms: {discord: {allowed_users: ['${ada.id}'], stream: off}}`;
    await using _world = await openTurnWorld({
      script: telling,
      config,
      adapters: [discordAdapterOf(discord)],
    });
    await until(() => discord.connected === 1);
    const asks = async (channelId: string, word: string) => {
      const before = discord.sent(channelId).length;
      discord.userSends({ channelId, author: ada, content: `<@${discord.botUser.id}> ${word}` });
      await until(() => discord.sent(channelId).length > before);
      return discord.sent(channelId).at(-1)!.content;
    };

    expect(await asks(parentId, 'nine')).toBe('read: nine');
    expect(await asks(threadId, 'blue')).toBe('read: blue');
    expect(await asks(parentId, 'ten')).toBe('read: nine, ten');
    expect(await asks(threadId, 'green')).toBe('read: blue, green');
    expect(discord.violations).toEqual([]);
  });
});

/** Signs under people's messages, where the operator wants them: seen when stored, the outcome when the answer is there. */
import { expect, describe, test } from 'vitest';
import { startFakeTelegram } from '@palimpsest/testkit';
import { discordAdapterOf } from '../support/discord-adapter.ts';
import { ada, discordSchema, startDiscord } from '../support/discord.ts';
import { openAnsweringWorld } from '../support/answering-world.ts';
import { adapterOf } from '../support/fake-telegram.ts';
import { sharedPath } from '../support/shared.ts';
import { until } from '../support/until.ts';

const botApi = sharedPath('telegram/bot-api.json');
const chatId = 4_242;
const botToken = 'MTAyNzY3MjIwNjI0MDAyMjgzMA.fake.token';
const applicationId = '1027672206240022830';

async function openTelegram(isOn = true) {
  const stack = new AsyncDisposableStack();
  const telegram = stack.use(await startFakeTelegram({ schemaPath: botApi.path, liftRateLimits: true }));
  telegram.addChat({ id: chatId, type: 'private', first_name: 'Ada' });
  const sender = () => adapterOf(telegram).sender;
  const config = `platforms: {telegram: {allow_all: true, ack_reactions: ${isOn}}}`;
  const world = stack.use(await openAnsweringWorld(sender, { config }));
  return {
    telegram,
    world,
    asks() {
      const { message_id: id } = telegram.userSends({ chatId, text: 'hi' }).message as { message_id: number };
      return { id, said: { chatId: String(chatId), messageId: String(id) } };
    },
    async [Symbol.asyncDispose]() {
      await stack.disposeAsync();
      expect(telegram.violations).toEqual([]);
    },
  };
}

describe.skipIf(botApi.missing)('on Telegram', () => {
  test('a stored message shows eyes, and the outcome takes their place when the answer is there', async () => {
    await using chat = await openTelegram();
    for (const [outcome, sign] of [
      ['answered', '👍'],
      ['failed', '💔'],
      ['stopped', '👌'],
    ] as const) {
      const { id, said } = chat.asks();
      const turn = await chat.world.answer(said);
      await until(() => chat.telegram.reaction(chatId, id) === '👀');
      await turn.finish('There.', outcome);
      await until(() => chat.telegram.reaction(chatId, id) === sign);
    }

    expect(chat.telegram.sent(chatId)).toHaveLength(3);
  });

  test('nothing is shown where the operator does not ask for it', async () => {
    await using chat = await openTelegram(false);
    const turn = await chat.world.answer(chat.asks().said);
    await turn.finish('There.');
    await until(() => chat.telegram.sent(chatId).length === 1);

    expect(chat.telegram.requestsTo('setMessageReaction')).toEqual([]);
  });

  test('a sign that is too much closes the gate for answers too, and is not tried again', async () => {
    await using chat = await openTelegram();
    chat.telegram.failNext('setMessageReaction', {
      error_code: 429,
      description: 'Too Many Requests: retry after 100',
      parameters: { retry_after: 100 },
    });
    const turn = await chat.world.answer(chat.asks().said);
    const gates = () => chat.world.sql('SELECT 1 FROM chats WHERE gate_until > now()');
    await until(async () => (await gates()).length === 1);
    await turn.finish('There.');
    expect(chat.telegram.sent(chatId)).toEqual([]);
    await chat.world.sql('UPDATE chats SET gate_until = NULL');
    chat.world.ring();
    await until(() => chat.telegram.sent(chatId).length === 1);
    await until(() => chat.telegram.requestsTo('setMessageReaction').length === 2);
  });

  test('an answer comes although its sign is refused', async () => {
    await using chat = await openTelegram();
    chat.telegram.failNext('setMessageReaction', {
      error_code: 400,
      description: 'Bad Request: REACTION_INVALID',
    });
    const turn = await chat.world.answer(chat.asks().said);
    await until(() => chat.telegram.requestsTo('setMessageReaction').length === 1);
    await turn.finish('There.');
    await until(() => chat.telegram.sent(chatId).length === 1);
  });
});

describe.skipIf(discordSchema.missing)('on Discord', () => {
  test('the eyes are added at once and give way to the outcome', async () => {
    await using discord = await startDiscord({ token: botToken, applicationId, liftRateLimits: true });
    const channel = discord.addDm(ada);
    const sender = () => discordAdapterOf(discord).sender;
    const config = 'platforms: {discord: {allow_all: true, ack_reactions: true}}';
    await using world = await openAnsweringWorld(sender, { config });
    const message = discord.userSends({ channelId: channel.id, author: ada, content: 'hi' });
    const turn = await world.answer({ chatId: channel.id, messageId: message.id });

    await until(() => [...message.ownReactions].join() === '👀');
    await turn.finish('There.');
    await until(() => [...message.ownReactions].join() === '✅');

    expect(discord.violations).toEqual([]);
  });
});

/** Answers that are being written where nothing can be sent or formatted, and as drafts that fade. */
import { describe, expect, test } from 'vitest';
import { type FakeTelegram } from '@palimpsest/testkit';
import { openAnsweringWorld } from '../support/answering-world.ts';
import { adapterOf, telegramForEach } from '../support/fake-telegram.ts';
import { sharedPath } from '../support/shared.ts';
import { until } from '../support/until.ts';

const schema = sharedPath('telegram/bot-api.json');
const chatId = 4_242;

describe.skipIf(schema.missing)('an answer that is being written, too,', () => {
  let telegram: FakeTelegram;

  telegramForEach(chatId, (opened) => (telegram = opened));

  const open = (keys = '') =>
    openAnsweringWorld(() => adapterOf(telegram).sender, {
      config: `platforms: {telegram: {allow_all: true${keys}}}`,
    });
  const texts = (chat = chatId) => telegram.sent(chat).map(({ text }) => text);
  const shows = (...wanted: string[]) => until(() => JSON.stringify(texts()) === JSON.stringify(wanted));
  const question = () => {
    const update = telegram.userSends({ chatId, text: 'a question' });
    const { message_id: messageId } = update.message as { message_id: number };
    return { chatId: String(chatId), messageId: String(messageId) };
  };

  test('G16 in a chat that blocked the bot is not tried again: the chat is unreachable', async () => {
    await using world = await open();
    const turn = await world.answer(question());
    telegram.setChatStatus(chatId, 'blocked');

    await turn.write('One');
    const gone = () => world.sql('SELECT unreachable_problem FROM chats WHERE unreachable_at IS NOT NULL');
    await until(async () => (await gone()).length === 1);
    await turn.write('One two');
    await turn.finish('One two three.');
    await until(
      async () =>
        (await world.sql(`SELECT 1 FROM outbox WHERE state IN ('failed', 'cancelled')`)).length === 1,
    );

    expect(await gone()).toEqual([{ unreachable_problem: 'Forbidden: bot was blocked by the user' }]);
    expect(telegram.requestsTo('sendMessage')).toHaveLength(2);
  });

  test('is shown as a draft where the operator wants it, and ends in a real message', async () => {
    await using world = await open(', stream: draft');
    const turn = await world.answer(question());

    await turn.write('One');
    await until(() => telegram.draft(chatId)?.text === 'One');
    await turn.write('One **two');
    await until(() => telegram.draft(chatId)?.text === 'One **two');
    await turn.finish('One **two**.');
    await shows('One two.');

    const ids = telegram.requestsTo('sendMessageDraft').map(({ params }) => params.draft_id);
    expect(new Set(ids).size).toBe(1);
    expect(telegram.draft(chatId)).toBeUndefined();
    expect(telegram.requestsTo('editMessageText')).toHaveLength(0);
  });

  test('as a draft that Telegram refuses comes as a message at the end', async () => {
    await using world = await open(', stream: draft');
    const turn = await world.answer(question());

    telegram.failNext('sendMessageDraft', {
      error_code: 400,
      description: 'Bad Request: TEXTDRAFT_PEER_INVALID',
    });
    await turn.write('One');
    await until(() => telegram.requestsTo('sendMessageDraft').length === 1);
    await turn.write('One two');
    await turn.finish('One two.');
    await shows('One two.');

    expect(telegram.requestsTo('sendMessageDraft')).toHaveLength(1);
  });

  test.each([
    "Bad Request: can't parse entities: Can't find end of Bold entity at byte offset 3",
    'Bad Request: ENTITY_BOUNDS_INVALID',
  ])('whose formatting is refused at the end (%s) is the same words in the same message', async (problem) => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('One');
    await shows('One');
    telegram.failNext('editMessageText', { error_code: 400, description: problem });
    await turn.finish('One **two**.');
    await shows('One two.');
    const replies = () => world.sql('SELECT state, problem FROM outbox');
    await until(async () => (await replies())[0]?.['state'] === 'sent');

    expect(telegram.sent(chatId).map(({ entities }) => entities)).toEqual([[]]);
    expect(telegram.requestsTo('sendMessage')).toHaveLength(1);
    expect(await replies()).toEqual([
      { state: 'sent', problem: 'Telegram refused the formatting; sent as plain text' },
    ]);
  });
});

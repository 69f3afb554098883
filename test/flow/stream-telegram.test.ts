/** Answers that are read while they are written, on Telegram: one message, and at the end exactly the answer. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFakeTelegram, type FakeTelegram } from '@palimpsest/testkit';
import { openAnsweringWorld, type AnsweringWorld } from '../support/answering-world.ts';
import { adapterOf } from '../support/fake-telegram.ts';
import { sharedPath } from '../support/shared.ts';
import { until } from '../support/until.ts';

const schema = sharedPath('telegram/bot-api.json');
const chatId = 4_242;

describe.skipIf(schema.missing)('an answer that is being written', () => {
  let telegram: FakeTelegram;

  beforeEach(async () => {
    telegram = await startFakeTelegram({ schemaPath: schema.path, liftRateLimits: true });
    telegram.addChat({ id: chatId, type: 'private', first_name: 'Ada' });
    telegram.addChat({ id: -7, type: 'group', title: 'Group' });
  });

  afterEach(async () => {
    const { violations } = telegram;
    await telegram.close();
    expect(violations).toEqual([]);
  });

  const open = (keys = '') =>
    openAnsweringWorld(() => adapterOf(telegram).sender, {
      config: `platforms: {telegram: {allow_all: true${keys}}}`,
    });
  const texts = (chat = chatId) => telegram.sent(chat).map(({ text }) => text);
  const shows = (...wanted: string[]) => until(() => JSON.stringify(texts()) === JSON.stringify(wanted));
  const isSent = (world: AnsweringWorld) =>
    until(async () => (await world.sql(`SELECT 1 FROM outbox WHERE state = 'sent'`)).length === 1);
  const question = () => {
    const update = telegram.userSends({ chatId, text: 'a question' });
    const { message_id: messageId } = update.message as { message_id: number };
    return { chatId: String(chatId), messageId: String(messageId) };
  };

  test('G15 is one message that grows, plain, and is formatted once at the end', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('The **ferry');
    await shows('The **ferry');
    await turn.write('The **ferry** leaves');
    await shows('The ferry leaves');
    await turn.finish('The **ferry** leaves at nine.');
    await shows('The ferry leaves at nine.');

    const [sent] = telegram.sent(chatId);
    expect(sent).toMatchObject({ edits: ['The **ferry', 'The ferry leaves'] });
    expect(sent!.entities).toEqual([{ type: 'bold', offset: 4, length: 5 }]);
    expect(telegram.requestsTo('sendMessage')).toHaveLength(1);
    await isSent(world);
  });

  test('G15 that is seen whole already is not changed: "not modified" counts as sent', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('All of it');
    await shows('All of it');
    await turn.finish('All of it');
    await isSent(world);

    expect(telegram.requestsTo('editMessageText').map(({ outcome }) => outcome)).toEqual([400]);
    expect(texts()).toEqual(['All of it']);
  });

  test('goes on in a second message where it outgrows the first, and each part is exact at the end', async () => {
    await using world = await open();
    const line = (index: number): string => `Line ${index} of an answer that becomes long`;
    const text = Array.from({ length: 150 }, (_, index) => line(index)).join('\n');
    const turn = await world.answer(question());

    await turn.write(text.slice(0, 3_000));
    await until(() => texts().length === 1);
    await turn.write(text.slice(0, 5_000));
    await until(() => texts().length === 2);
    await turn.finish(text);
    await until(() => texts().join('\n') === text);

    expect(texts()).toHaveLength(2);
    expect(telegram.requestsTo('sendMessage')).toHaveLength(2);
  });

  test('that ends shorter than it was shown leaves no message behind', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('word '.repeat(1_500));
    await until(() => texts().length === 2);
    await turn.finish('Short.');
    await shows('Short.');

    expect(telegram.requestsTo('deleteMessage')).toHaveLength(1);
  });

  test('that becomes a file keeps its first message and takes the others back', async () => {
    await using world = await open();
    const turn = await world.answer(question());
    const text = 'word '.repeat(6_000);

    await turn.write(text.slice(0, 9_000));
    await until(() => texts().length === 3);
    await turn.finish(text);
    await until(() => telegram.sent(chatId).some(({ message }) => message.document !== undefined));
    await isSent(world);

    expect(telegram.sent(chatId).map(({ message }) => 'document' in message)).toEqual([false, true]);
    expect(telegram.requestsTo('sendMessage')).toHaveLength(3);
  });

  test('changes at most once in the configured time', async () => {
    await using world = await open(', stream_direct_every_ms: 60000');
    const turn = await world.answer(question());

    await turn.write('One');
    await shows('One');
    await turn.write('One two');
    await turn.write('One two three');
    await turn.finish('One two three.');
    await shows('One two three.');

    expect(telegram.requestsTo('editMessageText')).toHaveLength(1);
  });

  test.each([
    ['is not shown in groups before it is ready', '', ['done']],
    ['is shown in groups where the operator wants it', ', stream_in_groups: true', ['so far']],
  ])('%s', async (_, keys, firstSends) => {
    await using world = await open(keys);
    const asked = telegram.userSends({ chatId: -7, from: 5, text: '/x' }).message as { message_id: number };
    const turn = await world.answer({ chatId: '-7', messageId: String(asked.message_id), kind: 'group' });

    await turn.write('so far');
    // A direct chat beside it is shown, so a look at this one has passed.
    const beside = await world.answer(question());
    await beside.write('beside');
    await until(() => texts().includes('beside'));
    await turn.finish('done');
    await until(() => texts(-7).includes('done'));

    const toGroup = telegram.requestsTo('sendMessage').filter(({ params }) => params.chat_id === -7);
    expect(toGroup.map(({ params }) => params.text)).toEqual(firstSends);
    expect(texts(-7)).toEqual(['done']);
  });

  test('that is refused for its speed is shown no further, and its end waits for as long as Telegram says', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('One');
    await shows('One');
    telegram.failNext('editMessageText', {
      error_code: 429,
      description: 'Too Many Requests: retry after 13938',
      parameters: { retry_after: 13_938 },
    });
    await turn.write('One two');
    await until(() => telegram.requestsTo('editMessageText').length === 1);
    const gate = () => world.sql(`SELECT 1 FROM chats WHERE gate_until > now() + interval '13900 seconds'`);
    await until(async () => (await gate()).length === 1);
    await turn.finish('One two three.');
    // Another chat's answer passes while this one waits.
    const other = telegram.userSends({ chatId: 99, text: 'hi' }).message as { message_id: number };
    const beside = await world.answer({ chatId: '99', messageId: String(other.message_id) });
    await beside.finish('Beside.');
    await until(() => texts(99).includes('Beside.'));

    expect(texts()).toEqual(['One']);
    expect(await world.sql(`SELECT attempts FROM outbox WHERE text = 'One two three.'`)).toEqual([
      { attempts: 0 },
    ]);
    await world.sql('UPDATE chats SET gate_until = NULL');
    world.ring();
    await shows('One two three.');
  });

  test('that somebody deleted is sent anew at the end', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('One');
    await shows('One');
    telegram.failNext('editMessageText', {
      error_code: 400,
      description: 'Bad Request: message to edit not found',
    });
    await turn.finish('One two.');
    await until(() => texts().includes('One two.'));

    expect(telegram.requestsTo('sendMessage')).toHaveLength(2);
  });

  test('G15 whose last change may be lost is changed again, and never sent a second time', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('One');
    await shows('One');
    telegram.dropAnswerNext('editMessageText');
    await turn.finish('One two.');
    await isSent(world);

    expect(texts()).toEqual(['One two.']);
    expect(telegram.requestsTo('sendMessage')).toHaveLength(1);
  });

  test('whose first preview may be out opens no second one, and the answer says that it may be a repeat', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    telegram.dropAnswerNext('sendMessage');
    await turn.write('One');
    await shows('One');
    await turn.write('One two');
    const other = telegram.userSends({ chatId: 99, text: 'hi' }).message as { message_id: number };
    const beside = await world.answer({ chatId: '99', messageId: String(other.message_id) });
    await beside.write('Beside');
    await until(() => texts(99).includes('Beside'));
    await turn.finish('One two.');
    await shows('One', '(this may be a repeat)\nOne two.');
  });

  test('is gone on with by the process that takes over, in the same message', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('One');
    await shows('One');
    await world.restart();
    await turn.write('One two');
    await shows('One two');
    await world.restart();
    await turn.finish('One two three.');
    await shows('One two three.');

    expect(telegram.requestsTo('sendMessage')).toHaveLength(1);
  });

  test('of a turn that is given up is taken back', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('One');
    await shows('One');
    await turn.bury();
    await shows();
  });

  test('waits with its preview while an older answer of the chat is not out', async () => {
    await using world = await open();
    const older = await world.answer(question());
    telegram.failNext('sendMessage', { error_code: 500, description: 'Internal Server Error' });
    await older.finish('Older.');
    const newer = await world.answer(question());
    await newer.write('Newer');
    await until(() => texts().length === 2);

    expect(texts()).toEqual(['Older.', 'Newer']);
  });
});

/** The whole way of a message on Telegram: strangers, typing, limits, long answers, blocked chats. */
import { describe, expect, test } from 'vitest';
import { type FakeTelegram, type ModelScript } from '@palimpsest/testkit';
import { adapterOf, telegramForEach } from '../support/fake-telegram.ts';
import { sharedPath } from '../support/shared.ts';
import { openTurnWorld, pause } from '../support/turn-world.ts';

const schema = sharedPath('telegram/bot-api.json');
const chatId = 4_242;

describe.skipIf(schema.missing)('on Telegram', () => {
  let telegram: FakeTelegram;

  telegramForEach(chatId, (opened) => (telegram = opened));

  function open(script: ModelScript, config = `platforms: {telegram: {allowed_users: [${chatId}]}}`) {
    const adapter = adapterOf(telegram);
    return openTurnWorld({ script, config, adapters: [adapter] });
  }
  const texts = () => telegram.sent(chatId).map((message) => message.text);
  const heard = (count: number) => until(() => texts().length >= count);

  test('a stranger gets no answer and leaves no text behind; the line an operator types lets them in', async () => {
    await using world = await open(() => ({ text: 'Hello Ada.' }), 'platforms: {telegram: {pairing: off}}');

    telegram.userSends({ chatId, text: 'let me in' });
    await until(async () => (await world.store.operators.denied(5)).length > 0);
    const [denied] = await world.store.operators.denied(5);
    await world.store.operators.setAccess({
      platform: 'telegram',
      kind: 'user',
      id: String(chatId),
      access: 'allow',
    });
    telegram.userSends({ chatId, text: 'and now?' });
    await heard(1);

    expect(denied).toMatchObject({
      platform: 'telegram',
      senderId: String(chatId),
      reason: 'not_allowlisted',
      times: 1,
    });
    expect(texts()).toEqual(['Hello Ada.']);
  });

  test('who is shut out while a message waits gets no answer to it', async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let calls = 0;
    await using world = await open(async () => {
      calls += 1;
      if (calls === 1) await held;
      return { text: `answer ${calls}` };
    });
    telegram.userSends({ chatId, text: 'first' });
    await until(() => calls === 1);
    telegram.userSends({ chatId, text: 'second' });
    const sessionsOf = () =>
      world.history.sessionsOfChat(
        { platform: 'telegram', id: telegram.token.split(':')[0]! },
        { chatId: String(chatId), threadId: '' },
      );
    await until(async () => (await world.history.accepted((await sessionsOf())[0]!)).length === 2);

    await world.store.operators.setAccess({
      platform: 'telegram',
      kind: 'user',
      id: String(chatId),
      access: 'deny',
    });
    release();
    await heard(1);
    await until(async () =>
      (await world.history.accepted((await sessionsOf())[0]!)).every(
        (message) => message.state !== 'pending',
      ),
    );

    expect(texts()).toEqual(['answer 1']);
    expect((await world.history.accepted((await sessionsOf())[0]!)).map((message) => message.state)).toEqual([
      'done',
      'withdrawn',
    ]);
  });

  test('a long answer arrives whole, in order, in parts within the limit; a flood limit in the middle is waited out', async () => {
    const paragraphs = Array.from({ length: 60 }, (_, index) =>
      `Paragraph ${index}. ${'words and more words '.repeat(12)}`.trim(),
    );
    await using _world = await open(() => ({ text: paragraphs.join('\n\n') }));
    telegram.failNext('sendMessage', {
      error_code: 429,
      description: 'Too Many Requests: retry after 1',
      parameters: { retry_after: 1 },
    });

    telegram.userSends({ chatId, text: 'tell me a lot' });
    await until(() => texts().join(' ').includes('Paragraph 59'));

    expect(texts().every((text) => text.length <= 4_096)).toBe(true);
    expect(texts().join('\n\n').split(/\s+/)).toEqual(paragraphs.join('\n\n').split(/\s+/));
  });

  test('a person who blocked the bot is not written to again and again', async () => {
    await using world = await open(() => ({ text: 'hello?' }));
    telegram.failNext('sendMessage', {
      error_code: 403,
      description: 'Forbidden: bot was blocked by the user',
    });

    telegram.userSends({ chatId, text: 'hi, and bye' });
    await until(() => telegram.requestsTo('sendMessage').length === 1);
    const sessions = await world.history.sessionsOfChat(
      { platform: 'telegram', id: telegram.token.split(':')[0]! },
      { chatId: String(chatId), threadId: '' },
    );
    await until(async () => (await world.history.accepted(sessions[0]!))[0]?.replyState === 'failed');

    expect(telegram.requestsTo('sendMessage')).toHaveLength(1);
  });

  test('an answer whose receipt was lost is sent once more with a mark, and the outbox says unknown', async () => {
    await using world = await open(() => ({ text: 'the answer' }));
    telegram.dropAnswerNext('sendMessage');

    telegram.userSends({ chatId, text: 'a question' });
    await heard(2);
    const sessions = await world.history.sessionsOfChat(
      { platform: 'telegram', id: telegram.token.split(':')[0]! },
      { chatId: String(chatId), threadId: '' },
    );
    await until(async () => (await world.history.accepted(sessions[0]!))[0]?.replyState === 'unknown');

    expect(texts()).toEqual(['the answer', '(this may be a repeat)\nthe answer']);
  });

  test('commands get answers like any message', async () => {
    await using _world = await open(() => ({ text: 'hi' }));

    telegram.userSends({ chatId, text: '/whoami' });
    await heard(1);

    expect(texts()[0]).toBe(
      `ℹ️ You are ${chatId} on telegram, bot account ${telegram.token.split(':')[0]}, chat ${chatId} (direct).`,
    );
  });
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('it did not come to this within 20 s');
    await pause();
  }
}

/** The button under a draft on Telegram: whoever presses it has the answer so far, and is answered again afterwards. */
import { describe, expect, test } from 'vitest';
import { type FakeTelegram } from '@palimpsest/testkit';
import { adapterOf, botApiSchema, telegramForEach } from '../support/fake-telegram.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

const chatId = 4_242;

describe.skipIf(botApiSchema.missing)('the button under a draft', () => {
  let telegram: FakeTelegram;

  telegramForEach(chatId, (opened) => (telegram = opened));

  test('stops the answer, which stays as far as it was written; pressed twice it is pressed once', async () => {
    let calls = 0;
    await using _world = await openTurnWorld({
      script: () => {
        calls += 1;
        return calls === 1
          ? { text: 'The ferry leaves. '.repeat(2_000), chunkSize: 18, chunkDelayMs: 20 }
          : { text: 'At nine.' };
      },
      config: `platforms: {telegram: {allowed_users: [${chatId}], stream: draft}}`,
      adapters: [adapterOf(telegram)],
    });
    const texts = () => telegram.sent(chatId).map(({ text }) => text);

    telegram.userSends({ chatId, text: 'tell me everything' });
    await until(() => telegram.draft(chatId)?.text.startsWith('The ferry leaves.') === true);
    telegram.userStopsDraft(chatId);
    telegram.userStopsDraft(chatId);
    await until(() => texts().length > 0);
    telegram.userSends({ chatId, text: 'when?' });
    await until(() => texts().at(-1) === 'At nine.');

    const [stopped, answer, ...others] = texts();
    expect(stopped).toMatch(/^The ferry leaves\. [^]*ℹ️ Stopped\.$/);
    expect(stopped!.length).toBeLessThan(4_096);
    expect([answer, ...others]).toEqual(['At nine.']);
    expect(telegram.draft(chatId)).toBeUndefined();
  });

  test('of an answer that has ended stops no later one, and says so', async () => {
    const isPressed = Promise.withResolvers<void>();
    let calls = 0;
    await using _world = await openTurnWorld({
      script: async () => {
        calls += 1;
        if (calls === 2) await isPressed.promise;
        return calls === 1
          ? { text: 'It leaves at nine.', chunkSize: 10, chunkDelayMs: 500 }
          : { text: 'It is back at six.' };
      },
      config: `platforms: {telegram: {allowed_users: [${chatId}], stream: draft}}`,
      adapters: [adapterOf(telegram)],
    });
    const texts = () => telegram.sent(chatId).map(({ text }) => text);
    let update_id = 5_000;
    const presses = (draft_id: number) =>
      telegram.pushUpdate({
        update_id: (update_id += 1),
        stopped_message_generation: { chat: { id: chatId, type: 'private', first_name: 'Ada' }, draft_id },
      });
    const over = 'ℹ️ That answer had already ended; nothing was stopped.';

    telegram.userSends({ chatId, text: 'when does it leave?' });
    await until(() => telegram.draft(chatId) !== undefined);
    const { draftId } = telegram.draft(chatId)!;
    await until(() => texts().length === 1);
    telegram.userSends({ chatId, text: 'when is it back?' });
    await until(() => calls === 2);
    presses(draftId);
    await until(() => texts().includes(over));
    isPressed.resolve();
    await until(() => texts().includes('It is back at six.'));
    presses(7);
    await until(() => texts().length === 4);

    expect(texts()).toEqual(['It leaves at nine.', over, 'It is back at six.', over]);
  });

  test('is no way in: of somebody who may not talk to the bot nothing is kept and nothing is said', async () => {
    await using world = await openTurnWorld({
      script: () => ({ text: 'never' }),
      config: `platforms: {telegram: {allowed_users: [${chatId}], pairing: off}}`,
      adapters: [adapterOf(telegram)],
    });
    const chat = telegram.addChat({ id: 666, type: 'private', first_name: 'Mallory' });

    telegram.pushUpdate({ update_id: 5_000, stopped_message_generation: { chat, draft_id: 7 } });
    await until(async () => (await world.store.operators.denied(5)).length > 0);

    expect(await world.store.operators.denied(5)).toMatchObject([{ senderId: '666', times: 1 }]);
    expect(telegram.sent(666)).toEqual([]);
  });
});

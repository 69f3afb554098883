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

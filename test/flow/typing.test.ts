/** "Typing" is shown while a turn runs, and stops with it on every way a turn can end. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFakeDiscord, startFakeTelegram, type FakeTelegram } from '@palimpsest/testkit';
import { discordAdapterOf } from '../support/discord-adapter.ts';
import { openAnsweringWorld, type AnsweringWorld } from '../support/answering-world.ts';
import { door } from '../support/busy-world.ts';
import { adapterOf } from '../support/fake-telegram.ts';
import { sharedPath } from '../support/shared.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

const telegramSchema = sharedPath('telegram/bot-api.json');
const discordSchema = sharedPath('discord/openapi.json');
const chatId = 4_242;
/** Typing fades in under ten seconds: on this clock it is renewed about every second of the wall's. */
const speed = 100;

type Answering = Awaited<ReturnType<AnsweringWorld['answer']>>;

const ends: Readonly<Record<string, (turn: Answering, world: AnsweringWorld) => Promise<unknown>>> = {
  'an answer': (turn) => turn.finish('At nine.'),
  'an error': (turn) => turn.finish('It did not work.', 'failed'),
  'a stop': (turn) => turn.finish('Stopped.', 'stopped'),
  silence: (turn) => turn.fallSilent(),
  'being given up': (turn) => turn.bury(),
  'being put back at a shutdown': async (turn, world) => {
    await world.store.turns.suspendTurn(turn.lease, turn.turn.id);
    await world.store.turns.release(turn.lease);
  },
  'a holder whose lease ran out': (_turn, world) =>
    world.sql('UPDATE sessions SET lease_until = now() WHERE lease_until > now()'),
};

describe.skipIf(telegramSchema.missing)('on Telegram', () => {
  let telegram: FakeTelegram;

  beforeEach(async () => {
    telegram = await startFakeTelegram({ schemaPath: telegramSchema.path, liftRateLimits: true });
    for (const id of [chatId, 7]) telegram.addChat({ id, type: 'private', first_name: 'Ada' });
  });

  afterEach(async () => {
    const { violations } = telegram;
    await telegram.close();
    expect(violations).toEqual([]);
  });

  const shownIn = (id: number) =>
    telegram.actions.filter((shown) => shown.chatId === id && shown.action === 'typing').length;

  test.each(Object.keys(ends))('G17 it is renewed while a turn runs, and stops with %s', async (end) => {
    await using world = await openAnsweringWorld(() => adapterOf(telegram).sender, { speed });
    const turn = await world.answer({ chatId: String(chatId), messageId: '1' });
    await until(() => shownIn(chatId) >= 2);

    await ends[end]!(turn, world);
    // Another chat begins to be shown after the end, and is renewed twice: time enough for this one.
    await world.answer({ chatId: '7', messageId: '2' });
    await until(() => shownIn(7) >= 1);
    const shown = shownIn(chatId);
    await until(() => shownIn(7) >= 4);

    expect(shownIn(chatId)).toBe(shown);
  });

  test.each([
    ['the model answers', { text: 'At nine.' }, 'At nine.'],
    ['the model refuses', { fault: 'auth' }, /^ℹ️ The model could not be used as it is set up\./],
    ['the person stops it', { text: 'too late' }, /^ℹ️ Stopped\.$/],
    ['its time is up', { text: 'too late' }, /^ℹ️ The answer took too long and was ended\./],
  ] as const)('G17 the whole way: it is shown until %s, and no longer', async (way, answer, told) => {
    const held = door();
    const seconds = way === 'its time is up' ? 10 : 1_800;
    await using world = await openTurnWorld({
      script: async () => {
        await held.opened;
        return answer;
      },
      config: `agent: {turn_timeout_seconds: ${seconds}}\nplatforms: {telegram: {allowed_users: [${chatId}]}}`,
      adapters: [adapterOf(telegram)],
    });
    const texts = () => telegram.sent(chatId).map(({ text }) => text ?? '');

    telegram.userSends({ chatId, text: 'When does the ferry leave?' });
    await until(() => shownIn(chatId) > 0);
    if (way === 'the person stops it') telegram.userSends({ chatId, text: '/stop' });
    else if (way !== 'its time is up') held.open();
    await until(() => texts().length > 0);
    held.open();

    expect(texts().at(-1)).toMatch(told);
    expect(await world.store.outbox.busyChats(`telegram-${telegram.token.split(':')[0]}`)).toEqual([]);
  });
});

describe.skipIf(discordSchema.missing)('on Discord', () => {
  test('G17 it is renewed while a turn runs, and stops with it', async () => {
    await using stack = new AsyncDisposableStack();
    const discord = await startFakeDiscord({ schemaPath: discordSchema.path, liftRateLimits: true });
    stack.defer(() => discord.close());
    const [ada, bob] = ['700000000000000001', '700000000000000002'].map(
      (id) => discord.addDm({ id, username: `user${id}` }).id,
    );
    const makeSender = () => discordAdapterOf(discord).sender;
    const world = stack.use(await openAnsweringWorld(makeSender, { speed }));
    const shownIn = (channel: string) =>
      discord.requests.filter(({ path }) => path.endsWith(`/channels/${channel}/typing`)).length;

    const turn = await world.answer({ chatId: ada!, messageId: '1' });
    await until(() => shownIn(ada!) >= 2);
    await turn.finish('At nine.');
    await world.answer({ chatId: bob!, messageId: '2' });
    await until(() => shownIn(bob!) >= 1);
    const shown = shownIn(ada!);
    await until(() => shownIn(bob!) >= 4);

    expect(shownIn(ada!)).toBe(shown);
    expect(discord.violations).toEqual([]);
  });
});

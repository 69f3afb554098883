/** Commands on Telegram: the menu, rights, groups. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfig, type CommandMenu } from '@palimpsest/core';
import { startFakeTelegram, type FakeTelegram } from '@palimpsest/testkit';
import { menuFor } from '../../apps/cli/src/create-adapters.ts';
import { adapterOf } from '../support/fake-telegram.ts';
import { openTestStore } from '../support/open-test-store.ts';
import { sharedPath } from '../support/shared.ts';
import { openTurnWorld, pause } from '../support/turn-world.ts';

const schema = sharedPath('telegram/bot-api.json');
const ada = 4_242;
const bob = 5_353;
const group = -1_001;

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 15_000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('it did not come to that');
    await pause();
  }
}

describe.skipIf(schema.missing)('commands on Telegram', () => {
  let telegram: FakeTelegram;

  beforeEach(async () => {
    telegram = await startFakeTelegram({ schemaPath: schema.path, liftRateLimits: true });
    telegram.addChat({ id: ada, type: 'private', first_name: 'Ada' });
    telegram.addChat({ id: bob, type: 'private', first_name: 'Bob' });
    telegram.addChat({ id: group, type: 'supergroup', title: 'Printers' });
  });

  afterEach(async () => {
    const { violations } = telegram;
    await telegram.close();
    expect(violations).toEqual([]);
  });

  const adapter = (menu?: CommandMenu) => adapterOf(telegram, menu ? { menu } : {});

  async function start(menu: CommandMenu): Promise<{ stop(): Promise<void> }> {
    const ending = new AbortController();
    const { listener } = adapter(menu);
    const run = listener.run(async () => [], ending.signal);
    await until(() => listener.lastAlive() !== null);
    return {
      async stop() {
        ending.abort();
        await run;
      },
    };
  }

  const names = (scope?: Parameters<FakeTelegram['commands']>[0]): string[] =>
    telegram.commands(scope).map(({ command }) => command);
  const heard = (chatId: number): string[] => telegram.sent(chatId).map(({ text }) => text ?? '');

  test('the menu is set for everybody and for groups, once over ten restarts, and again when it changed', async () => {
    await using kept = await openTestStore();
    const menuOf = (yaml: string) =>
      menuFor({ config: parseConfig(yaml, 'test') }, 'telegram', kept.store.operators);
    for (let restart = 1; restart <= 10; restart++) {
      const running = await start(menuOf(''));
      await until(() => telegram.commands({ type: 'all_group_chats' }, 'ru').length > 0);
      await running.stop();
    }
    // English and five languages for each of the two.
    expect(telegram.requestsTo('setMyCommands')).toHaveLength(12);
    const stop = telegram.commands(undefined, 'de').find(({ command }) => command === 'stop');
    expect(stop?.description).toBe('die laufende Antwort anhalten');
    expect(names()).toEqual(expect.arrayContaining(['undo', 'retry', 'model', 'resume', 'help']));
    expect(names({ type: 'all_group_chats' })).not.toContain('resume');

    const config = `{commands: {admin_only: [model]}, tools: {admins: {telegram: [${ada}]}}}`;
    const running = await start(menuOf(config));
    await until(() => telegram.commands({ type: 'chat', chat_id: ada }, 'ru').length > 0);
    await running.stop();

    expect(names()).not.toContain('model');
    expect(names({ type: 'chat', chat_id: ada })).toContain('model');
    expect(telegram.requestsTo('setMyCommands')).toHaveLength(30);
  });

  const config = `
platforms: {telegram: {allowed_users: [${ada}, ${bob}]}}
tools: {admins: {telegram: [${ada}]}}
commands: {admin_only: [model, engine]}
`;

  test('a command kept for admins is refused to others in plain words, and /help does not name it to them', async () => {
    await using world = await openTurnWorld({
      script: () => ({ text: 'Noted.' }),
      config,
      adapters: [adapter()],
    });
    void world;
    for (const chatId of [ada, bob])
      for (const text of ['/engine', '/help']) telegram.userSends({ chatId, text });
    await until(() => heard(ada).length === 2 && heard(bob).length === 2);

    expect(heard(ada)[0]).toContain('This conversation runs on the context engine compressor.');
    expect(heard(bob)[0]).toBe('ℹ️ /engine is for the operators of this bot; nothing is changed.');
    expect(heard(ada)[1]).toContain('/engine – ');
    expect(heard(bob)[1]).not.toContain('/engine – ');
    expect(heard(bob)[1]).toContain('/undo – ');
  });

  test('whoever is an admin elsewhere is none in a group for what others write', async () => {
    await using world = await openTurnWorld({
      script: () => ({ text: 'Noted.' }),
      config,
      adapters: [adapter()],
    });
    void world;

    telegram.userSends({ chatId: group, from: bob, text: `/engine@palimpsest_test_bot` });
    telegram.userSends({ chatId: group, from: ada, text: `/engine@palimpsest_test_bot` });
    await until(() => heard(group).length === 2);

    expect(heard(group)[0]).toContain('is for the operators');
    expect(heard(group)[1]).toContain('runs on the context engine');
  });

  test('in a group everybody sees what waits, and only an admin chooses what becomes of it', async () => {
    await using world = await openTurnWorld({
      script: () => ({ text: 'Noted.' }),
      config,
      adapters: [adapter()],
    });
    void world;

    const asked: [from: number, text: string][] = [
      [bob, '/queue@palimpsest_test_bot'],
      [bob, '/queue@palimpsest_test_bot followup'],
      [ada, '/queue@palimpsest_test_bot followup'],
      [bob, '/queue@palimpsest_test_bot'],
    ];
    for (const [index, [from, text]] of asked.entries()) {
      telegram.userSends({ chatId: group, from, text });
      await until(() => heard(group).length === index + 1);
    }

    expect(heard(group)).toEqual([
      'ℹ️ Nothing is running. Nothing waits. While I write, what you send meanwhile is answered together, right after (collect, as the service is set).',
      'ℹ️ In a group only the operators of this bot change what becomes of messages that wait; nothing is changed.',
      'ℹ️ While I write, what you send meanwhile is answered one by one, right after (followup, chosen for this conversation).',
      'ℹ️ Nothing is running. Nothing waits. While I write, what you send meanwhile is answered one by one, right after (followup, chosen for this conversation).',
    ]);
  });

  test('in a group /sessions shows that group only, /resume is refused, and a command for another bot is none', async () => {
    await using world = await openTurnWorld({
      script: () => ({ text: 'Noted.' }),
      config,
      adapters: [adapter()],
    });
    telegram.userSends({ chatId: ada, text: 'a private word' });
    await until(() => heard(ada).length === 1);

    telegram.userSends({ chatId: group, from: ada, text: '/sessions@another_bot' });
    telegram.userSends({ chatId: group, from: ada, text: `/sessions@palimpsest_test_bot` });
    telegram.userSends({ chatId: group, from: ada, text: `/resume@palimpsest_test_bot 1` });
    await until(() => heard(group).length === 2);

    expect(heard(group)[0]).toMatch(/^ℹ️ 1\. nothing said yet \(0 messages, this one, [\da-f]{8}\)$/);
    expect(heard(group)[1]).toBe(
      'ℹ️ /resume works only in direct messages with the bot: a conversation never moves between a group and a person.',
    );
    expect(world.model.requests).toHaveLength(1);
  });

  test('in a group nobody has what another wrote answered again, with rights that are not theirs', async () => {
    let answers = 0;
    const script = () => ({ text: `answer ${++answers}` });
    await using world = await openTurnWorld({ script, config, adapters: [adapter()] });
    void world;
    telegram.userSends({ chatId: group, from: ada, text: '@palimpsest_test_bot hello' });
    await until(() => heard(group).length === 1);

    telegram.userSends({ chatId: group, from: bob, text: '/retry@palimpsest_test_bot' });
    telegram.userSends({ chatId: group, from: ada, text: '/retry@palimpsest_test_bot' });
    await until(() => heard(group).length === 4);

    expect(heard(group)).toEqual([
      'answer 1',
      'ℹ️ The last message here is not yours; whoever wrote it can have it answered again.',
      'ℹ️ Your last message is answered again; the answer before no longer counts.',
      'answer 2',
    ]);
  });

  test('a command never runs from an edit', async () => {
    await using world = await openTurnWorld({
      script: () => ({ text: 'Noted.' }),
      config,
      adapters: [adapter()],
    });
    telegram.userSends({ chatId: ada, messageId: 1, text: 'hello' });
    await until(() => heard(ada).length === 1);

    telegram.userSends({ chatId: ada, messageId: 1, text: '/reset', edit: true });
    telegram.userSends({ chatId: ada, text: '/sessions' });
    await until(() => heard(ada).length === 2);

    expect(heard(ada)).toHaveLength(2);
    expect(heard(ada)[1]).toMatch(/^ℹ️ 1\. hello \(2 messages, this one/);
    expect(world.model.requests).toHaveLength(1);
  });
});

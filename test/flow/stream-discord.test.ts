/** Answers that are read while they are written, on Discord: one message, and at the end exactly the answer. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFakeDiscord, type FakeDiscord } from '@palimpsest/testkit';
import { discordAdapterOf } from '../support/discord-adapter.ts';
import { openAnsweringWorld, type AnsweringWorld } from '../support/answering-world.ts';
import { sharedPath } from '../support/shared.ts';
import { until } from '../support/until.ts';

const schema = sharedPath('discord/openapi.json');
const person = { id: '700000000000000001', username: 'ada' };
const toSend = 'POST /channels/{channel_id}/messages';
const toEdit = 'PATCH /channels/{channel_id}/messages/{message_id}';

describe.skipIf(schema.missing)('an answer that is being written', () => {
  let discord: FakeDiscord;
  let channelId: string;

  beforeEach(async () => {
    discord = await startFakeDiscord({ schemaPath: schema.path, liftRateLimits: true });
    channelId = discord.addDm(person).id;
  });

  afterEach(async () => {
    const { violations } = discord;
    await discord.close();
    expect(violations).toEqual([]);
  });

  const open = (keys = '') =>
    openAnsweringWorld(() => discordAdapterOf(discord).sender, {
      config: `platforms: {discord: {allow_all: true${keys}}}`,
    });
  const texts = (channel = channelId) =>
    discord.sent(channel).flatMap(({ content, deleted }) => (deleted ? [] : [content]));
  const shows = (...wanted: string[]) => until(() => JSON.stringify(texts()) === JSON.stringify(wanted));
  const isSent = (world: AnsweringWorld) =>
    until(async () => (await world.sql(`SELECT 1 FROM outbox WHERE state = 'sent'`)).length === 1);
  const question = (channel = channelId) => {
    const { id } = discord.userSends({ channelId: channel, author: person, content: 'a question' });
    return { chatId: channel, messageId: id };
  };
  /** Requests to write or change a message. */
  const asked = (method: 'POST' | 'PATCH') =>
    discord.requests.filter(
      (request) => request.method === method && /\/messages(\/\d+)?$/.test(request.path),
    );

  test('G15 is one message that grows, and is formatted once at the end; it pings nobody on its way', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('The **ferry @everyone');
    await until(() => texts().length === 1);
    await turn.write('The **ferry** leaves');
    await until(() => discord.sent(channelId)[0]!.edits.length === 1);
    await turn.finish('The **ferry** leaves at nine, @everyone.');
    await shows('The **ferry** leaves at nine, @everyone.');
    await isSent(world);

    expect(discord.sent(channelId)).toHaveLength(1);
    expect(discord.sent(channelId)[0]).toMatchObject({
      allowedMentions: { parse: [], replied_user: false },
      pings: { everyone: false, userIds: [], roleIds: [] },
    });
  });

  test('G15 that is seen whole already stays one message', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('All of it');
    await shows('All of it');
    await turn.finish('All of it');
    await isSent(world);

    expect(texts()).toEqual(['All of it']);
    expect(discord.sent(channelId)).toHaveLength(1);
  });

  test('goes on in a second message where it outgrows the first, and each part is exact at the end', async () => {
    await using world = await open();
    const text = Array.from(
      { length: 75 },
      (_, index) => `Line ${index} of an answer that becomes long`,
    ).join('\n');
    const turn = await world.answer(question());

    await turn.write(text.slice(0, 1_500));
    await until(() => texts().length === 1);
    await turn.write(text.slice(0, 2_500));
    await until(() => texts().length === 2);
    await turn.finish(text);
    await until(() => texts().join('\n') === text);

    expect(discord.sent(channelId)).toHaveLength(2);
  });

  test('that ends shorter than it was shown leaves no message behind', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('word '.repeat(700));
    await until(() => texts().length === 2);
    await turn.finish('Short.');
    await shows('Short.');
    await isSent(world);
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

    expect(asked('PATCH')).toHaveLength(1);
  });

  test('that is refused for its speed is shown no further until its end', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('One');
    await shows('One');
    discord.limitNext(toEdit, 3_600);
    await turn.write('One two');
    const gate = () => world.sql(`SELECT 1 FROM chats WHERE gate_until > now() + interval '3500 seconds'`);
    await until(async () => (await gate()).length === 1);
    await turn.finish('One two three.');
    // Another channel's answer passes while this one waits.
    const other = discord.addDm({ id: '700000000000000002', username: 'bob' }).id;
    const beside = await world.answer({ chatId: other, messageId: '1' });
    await beside.finish('Beside.');
    await until(() => texts(other).includes('Beside.'));

    expect(texts()).toEqual(['One']);
    await world.sql('UPDATE chats SET gate_until = NULL');
    await world.restart();
    await shows('One two three.');
  });

  test('that somebody deleted is sent anew at the end', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('One');
    await shows('One');
    discord.userDeletes({ channelId, messageId: discord.sent(channelId)[0]!.id });
    await turn.finish('One two.');
    await until(() => texts().includes('One two.'));

    expect(discord.sent(channelId)).toHaveLength(2);
  });

  test('G15 whose last change may be lost is changed again, and never sent a second time', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('One');
    await shows('One');
    discord.dropAnswerNext(toEdit);
    await turn.finish('One two.');
    await isSent(world);

    expect(texts()).toEqual(['One two.']);
    expect(discord.sent(channelId)).toHaveLength(1);
  });

  test('whose first preview may be out is the same message when it is sent again', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    discord.dropAnswerNext(toSend);
    await turn.write('One');
    await shows('One');
    await turn.finish('One two.');
    await isSent(world);

    expect(texts()).toEqual(['One two.']);
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

    expect(discord.sent(channelId)).toHaveLength(1);
  });

  test('of a turn that is given up is taken back', async () => {
    await using world = await open();
    const turn = await world.answer(question());

    await turn.write('One');
    await shows('One');
    await turn.bury();
    await shows();
  });
});

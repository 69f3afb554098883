/** Files that answers send, on their whole way to both platforms: a tool's result → outbox → upload. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Tool } from '@palimpsest/core';
import {
  startFakeDiscord,
  type FakeDiscord,
  type FakeTelegram,
  type ScriptRequest,
} from '@palimpsest/testkit';
import { withClient } from '../../packages/testkit/src/database/with-client.ts';
import { discordAdapterOf } from '../support/discord-adapter.ts';
import { adapterOf, telegramForEach } from '../support/fake-telegram.ts';
import { sharedPath } from '../support/shared.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

const botApi = sharedPath('telegram/bot-api.json');
const discordApi = sharedPath('discord/openapi.json');
const ada = 4_242;
const person = { id: '700000000000000001', username: 'ada' };

/** Calls one tool, then says what it was answered. */
function calling(name: string, input: Record<string, unknown>) {
  return ({ messages }: ScriptRequest) => {
    const [result] = messages.at(-1)!.toolResults;
    return result ? { text: `told: ${result.text}` } : { toolCalls: [{ name, arguments: input }] };
  };
}

/** A tool whose result holds a file, which goes out by itself if it is meant for the person. */
function camera({ bytes, mime, isForPerson }: { bytes: number; mime: string; isForPerson: boolean }): Tool {
  const content = Buffer.alloc(bytes, 7);
  const id = createHash('sha256').update(content).digest('hex');
  return {
    repeatable: true,
    schema: { name: 'camera', description: 'takes a picture', parameters: { type: 'object' } },
    run: async () => ({
      text: `kept as payload ${id.slice(0, 16)}`,
      isError: false,
      payloads: [{ id, mime, text: content.toString('base64'), encoding: 'base64' }],
      ...(isForPerson && { files: [{ payloadId: id, name: 'cat.png', mime, caption: 'The cat' }] }),
    }),
  };
}

const report = { name: '../out/report.md', text: '# Report\n\nAll is **well**.', caption: 'As you asked' };

const outbox = (world: TurnWorld): Promise<Record<string, unknown>[]> =>
  withClient(
    world.databaseUrl,
    async (client) =>
      (
        await client.query<Record<string, unknown>>(
          `SELECT o.state, o.problem, array_agg(p.state ORDER BY p.position) AS parts
           FROM outbox o JOIN outbox_parts p ON p.reply_id = o.id GROUP BY o.id, o.state, o.problem ORDER BY o.id`,
        )
      ).rows,
  );
const settled = (world: TurnWorld, count: number): Promise<void> =>
  until(async () => {
    const rows = await outbox(world);
    return rows.length === count && rows.every(({ state }) => state !== 'pending' && state !== 'sending');
  });

describe.skipIf(botApi.missing)('to Telegram', () => {
  let telegram: FakeTelegram;
  telegramForEach(ada, (opened) => (telegram = opened));

  const open = (script: ReturnType<typeof calling>, tools: readonly Tool[] = []) =>
    openTurnWorld({
      script,
      tools,
      config: `platforms: {telegram: {allowed_users: [${ada}]}}`,
      adapters: [adapterOf(telegram)],
    });
  const ask = async (world: TurnWorld, replies = 2) => {
    telegram.userSends({ chatId: ada, text: 'please' });
    await settled(world, replies);
    return telegram.sent(ada);
  };

  test('a text that the model writes arrives as a document, before the answer', async () => {
    await using world = await open(calling('send_file', report));

    const sent = await ask(world);

    expect(sent.map(({ message, text }) => message.document ?? text)).toMatchObject([
      { file_name: 'report.md', file_size: 26 },
      'told: report.md (1 kB) is on its way to the person.',
    ]);
    expect(sent[0]?.message.caption).toBe('As you asked');
  });

  test('a picture that a tool made for the person is shown as one', async () => {
    await using world = await open(calling('camera', {}), [
      camera({ bytes: 3000, mime: 'image/png', isForPerson: true }),
    ]);

    const [picture] = await ask(world);

    expect(picture?.message).toMatchObject({ photo: [{ file_size: 3000 }], caption: 'The cat' });
    expect(await outbox(world)).toEqual([
      { state: 'sent', problem: null, parts: ['sent'] },
      { state: 'sent', problem: null, parts: ['sent'] },
    ]);
  });

  test('what Telegram takes for no picture goes out as a file', async () => {
    await using world = await open(calling('camera', {}), [
      camera({ bytes: 3000, mime: 'image/png', isForPerson: true }),
    ]);
    telegram.failNext('sendPhoto', { error_code: 400, description: 'Bad Request: PHOTO_INVALID_DIMENSIONS' });

    const [file] = await ask(world);

    expect(file?.message.document).toMatchObject({ file_name: 'cat.png', file_size: 3000 });
  });

  test('a file whose receipt was lost is sent again with the mark of a repeat, and counts as unknown', async () => {
    await using world = await open(calling('send_file', report));
    telegram.dropAnswerNext('sendDocument');

    const sent = await ask(world);

    expect(sent.map(({ message }) => message.caption)).toEqual([
      'As you asked',
      '(this may be a repeat)\nAs you asked',
      undefined,
    ]);
    expect((await outbox(world)).map(({ state }) => state)).toEqual(['unknown', 'sent']);
  });

  test('where files may not be sent the person is told, in the language of the chat', async () => {
    await using world = await open(calling('send_file', report));
    telegram.failNext('sendDocument', {
      error_code: 400,
      description: 'Bad Request: not enough rights to send documents to the chat',
    });

    telegram.userSends({ chatId: ada, text: 'bitte', from: { id: ada, language_code: 'de' } });
    await settled(world, 2);

    expect(telegram.sent(ada).map(({ text }) => text)).toEqual([
      'ℹ️ Ich habe die Datei „report.md“ für dich, aber sie lässt sich hier nicht senden.\nAs you asked',
      'told: report.md (1 kB) is on its way to the person.',
    ]);
  });

  test('an id that is not of this conversation, no name and no content are refused to the model', async () => {
    const answers: string[] = [];
    for (const input of [{ name: 'a.txt', id: '0123456789abcdef' }, { text: 'x' }, { name: 'a.txt' }]) {
      await using world = await open(calling('send_file', input));
      await ask(world, 1);
      answers.push(telegram.sent(ada).at(-1)?.text ?? '');
    }

    expect(answers).toEqual([
      'told: no file with id "0123456789abcdef" in this conversation; nothing was sent',
      'told: send_file needs "name", a file name such as report.md; nothing was sent',
      'told: send_file needs either "id" of a kept file or "text" to put into one; nothing was sent',
    ]);
  });
});

describe.skipIf(discordApi.missing)('to Discord', () => {
  let discord: FakeDiscord;
  let channelId: string;
  beforeEach(async () => {
    discord = await startFakeDiscord({ schemaPath: discordApi.path, liftRateLimits: true });
    channelId = discord.addDm(person).id;
  });
  afterEach(async () => {
    const { violations } = discord;
    await discord.close();
    expect(violations).toEqual([]);
  });

  const open = (script: ReturnType<typeof calling>, tools: readonly Tool[] = []) =>
    openTurnWorld({
      script,
      tools,
      config: `platforms: {discord: {allowed_users: ['${person.id}']}}`,
      adapters: [discordAdapterOf(discord)],
    });
  const ask = async (world: TurnWorld, replies = 2) => {
    await until(() => discord.connected === 1);
    discord.userSends({ channelId, author: person, content: 'please' });
    await settled(world, replies);
    return discord.sent(channelId);
  };

  test('a file arrives once although its first answer was lost, and pings nobody', async () => {
    await using world = await open(calling('send_file', { ...report, caption: '@everyone' }));
    discord.dropAnswerNext('POST /channels/{channel_id}/messages');

    const [file, answer, ...others] = await ask(world);

    expect(others).toEqual([]);
    expect(file).toMatchObject({
      content: '@everyone',
      allowedMentions: { parse: [], replied_user: false },
      pings: { everyone: false, userIds: [], roleIds: [] },
      attachments: [{ filename: 'report.md' }],
    });
    expect(Buffer.from(file!.attachments[0]!.bytes).toString()).toBe(report.text);
    expect(answer?.content).toBe('told: report.md (1 kB) is on its way to the person.');
  });

  test('a file over the limit of the platform is not sent, and the person is told both sizes', async () => {
    await using world = await open(calling('camera', {}), [
      camera({ bytes: 10_600_000, mime: 'image/png', isForPerson: true }),
    ]);

    const sent = await ask(world);

    expect(sent.map(({ content }) => content)).toEqual([
      'ℹ️ I have the file “cat.png” for you, but it has 10.6 MB, and 10 MB is the most that I can send here.\nThe cat',
      expect.stringContaining('told: kept as payload'),
    ]);
  });

  test('the model is told of a file over the limit, and may send another', async () => {
    const kept = camera({ bytes: 10_600_000, mime: 'image/png', isForPerson: false });
    await using world = await open(
      ({ messages }) => {
        const [result] = messages.at(-1)!.toolResults;
        if (!result) return { toolCalls: [{ name: 'camera', arguments: {} }] };
        const id = /payload (\w{16})$/.exec(result.text)?.[1];
        return id
          ? { toolCalls: [{ name: 'send_file', arguments: { name: 'cat.png', id } }] }
          : { text: `told: ${result.text}` };
      },
      [kept],
    );

    const sent = await ask(world, 1);

    expect(sent.map(({ content }) => content)).toEqual([
      'told: cat.png is 10.6 MB, and 10 MB is the most that can be sent here; nothing was sent. Say so, or send a smaller part.',
    ]);
  });
});

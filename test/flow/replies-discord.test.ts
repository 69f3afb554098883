/** Answers in Markdown on their whole way to Discord: marks, mentions, parts, files. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFakeDiscord, type FakeDiscord } from '@palimpsest/testkit';
import { discordAdapterOf } from '../support/discord-adapter.ts';
import { readDiscord } from '../support/read-discord.ts';
import { sharedPath } from '../support/shared.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

const schema = sharedPath('discord/openapi.json');
const person = { id: '700000000000000001', username: 'ada' };
/** SUPPRESS_EMBEDS */
const noPreviews = 4;

describe.skipIf(schema.missing)('on Discord', () => {
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

  /** A world whose model always gives this answer. */
  function open(answer: string, fileOverParts = 5) {
    const adapter = discordAdapterOf(discord, { fileOverParts });
    return openTurnWorld({
      script: () => ({ text: answer }),
      config: `platforms: {discord: {allowed_users: ['${person.id}']}}`,
      adapters: [adapter],
    });
  }
  const sent = () => discord.sent(channelId);
  const ask = async (count: number) => {
    await until(() => discord.connected === 1);
    discord.userSends({ channelId, author: person, content: 'a question' });
    await until(() => sent().length >= count);
  };

  test('an answer is shown as it was meant; it pings nobody and unfolds nothing', async () => {
    await using _world = await open(
      '## Plan\n\n* __one__\n  * `two`\n\n@everyone <@700000000000000001> [docs](https://e.org/a)\n\n| a | b |\n|---|---|\n| 1 | 2 |',
    );

    await ask(1);

    expect(sent()).toMatchObject([
      {
        content:
          '## Plan\n\n- **one**\n  - `two`\n\n@everyone \\<@700000000000000001> [docs](https://e.org/a)\n\n```\na | b\n--+--\n1 | 2\n```',
        flags: noPreviews,
        allowedMentions: { parse: [], replied_user: false },
        pings: { everyone: false, userIds: [], roleIds: [] },
      },
    ]);
  });

  test('code over several messages is closed and reopened with its language, in order and whole', async () => {
    const lines = Array.from({ length: 400 }, (_, index) => `line ${1000 + index}`);
    await using _world = await open(`Here:\n\n\`\`\`py\n${lines.join('\n')}\n\`\`\`\n\n**end**`);

    await ask(3);

    const read = sent().map(({ content }) => readDiscord(content));
    expect(read.map(({ styles }) => styles.map(({ kind }) => kind))).toEqual([
      ['pre py'],
      ['pre py'],
      ['pre py', 'bold'],
    ]);
    expect(
      read
        .map(({ text }) => text)
        .join('\n')
        .split('\n'),
    ).toEqual(['Here:', '', ...lines, '', 'end']);
  });

  test('a very long answer is its beginning and a file of the Markdown; neither pings', async () => {
    const answer = `# Title\n\n${'**word** and @everyone.\n\n'.repeat(500)}`.trim();
    await using _world = await open(answer, 3);

    await ask(2);

    const [first, file, ...others] = sent();
    expect(others).toEqual([]);
    expect(first?.content.startsWith('# Title\n\n**word** and @everyone.\n\n**word**')).toBe(true);
    expect(file).toMatchObject({
      content: 'This is only the beginning. The whole answer is in the file.',
      attachments: [{ filename: 'answer.md' }],
      flags: noPreviews,
      allowedMentions: { parse: [], replied_user: false },
    });
    expect(Buffer.from(file!.attachments[0]!.bytes).toString()).toBe(answer);
  });

  test('without the right to attach files the whole answer comes in messages', async () => {
    const words = Array.from({ length: 1_500 }, (_, index) => `word${index}`);
    await using _world = await open(words.join(' '), 3);
    // Refused for want of a right is refused for files only.
    await ask(1);
    discord.failNext('POST /channels/{channel_id}/messages', {
      status: 403,
      body: { code: 50013, message: 'Missing Permissions' },
    });
    await until(() =>
      sent()
        .flatMap(({ content }) => content.split(' '))
        .includes('word1499'),
    );

    expect(sent().flatMap(({ content }) => content.split(' '))).toEqual(words);
  });
});

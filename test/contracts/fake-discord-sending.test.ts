/** The fake Discord as discord.js sees it: what the bot sends, edits and answers. */
import { DiscordAPIError, Events, MessageFlags, SlashCommandBuilder, type Interaction } from 'discord.js';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { ada, bob, discordSchema, loginClient, nextMessage, startDiscord } from '../support/discord.ts';

const check = test.skipIf(discordSchema.missing);

check('a text of 2,001 code points is refused with the code for its length', async () => {
  await using discord = await startDiscord();
  discord.addDm(ada);
  await using client = await loginClient(discord);
  const channel = await client.users.createDM(ada.id);

  const sending = channel.send({ content: '😀'.repeat(2001) });

  await expect(sending).rejects.toMatchObject({
    code: 50035,
    rawError: {
      errors: {
        content: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' }] },
      },
    },
  });
  await expect(sending).rejects.toBeInstanceOf(DiscordAPIError);
});

check('a nonce whose answer was lost is sent again and makes no second message', async () => {
  await using discord = await startDiscord();
  const direct = discord.addDm(ada);
  await using client = await loginClient(discord);
  const channel = await client.users.createDM(ada.id);
  discord.dropAnswerNext('POST /channels/{channel_id}/messages');
  const message = { content: 'once', nonce: 'delivery-1-part-1', enforceNonce: true };

  await channel.send(message).catch(() => undefined);
  const repeated = await channel.send(message);

  expect(discord.sent(direct.id).map((sent) => [sent.id, sent.content])).toEqual([[repeated.id, 'once']]);
});

check('a 429 is waited out by discord.js and the message is sent once', async () => {
  await using discord = await startDiscord();
  const direct = discord.addDm(ada);
  await using client = await loginClient(discord);
  const channel = await client.users.createDM(ada.id);
  discord.limitNext('POST /channels/{channel_id}/messages', 0.2);

  await channel.send('patient');

  const statuses = discord.requests
    .filter((request) => request.path === `/channels/${direct.id}/messages`)
    .map((request) => request.status);
  expect(statuses).toEqual([429, 200]);
  expect(discord.sent(direct.id)).toHaveLength(1);
});

check('edits of the bot come back as an edit, and link previews do not look like one', async () => {
  await using discord = await startDiscord();
  const direct = discord.addDm(ada);
  await using client = await loginClient(discord);
  const written = discord.userSends({
    channelId: direct.id,
    author: ada,
    content: 'see https://example.com',
  });
  await vi.waitFor(() => expect(client.channels.cache.has(direct.id)).toBe(true));
  const edits: (number | null)[] = [];
  client.on(Events.MessageUpdate, (_before, after) => edits.push(after.editedTimestamp));

  discord.unfoldLink({ channelId: direct.id, messageId: written.id });
  discord.userEdits({ channelId: direct.id, messageId: written.id, content: 'see nothing' });
  await vi.waitFor(() => expect(edits).toHaveLength(2));

  expect(edits[0]).toBe(null);
  expect(edits[1]).toBeGreaterThan(1_700_000_000_000);
});

check('a command is deployed, deferred and answered in the original message', async () => {
  await using discord = await startDiscord();
  const direct = discord.addDm(ada);
  await using client = await loginClient(discord);
  const command = new SlashCommandBuilder()
    .setName('status')
    .setDescription('How full is the context?')
    .setDefaultMemberPermissions(8);
  await client.application.commands.set([command]);
  const asked = once(client, Events.InteractionCreate) as Promise<[Interaction]>;

  discord.userInvokes({ channelId: direct.id, user: ada, name: 'status' });
  const [interaction] = await asked;
  if (!interaction.isChatInputCommand()) throw new Error('no command arrived');
  await interaction.deferReply({ flags: MessageFlags.Ephemeral });
  await interaction.editReply('12 % full');

  expect(discord.sent(direct.id).map((sent) => [sent.content, sent.ephemeral])).toEqual([
    ['12 % full', true],
  ]);
  await expect(
    client.rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, {
      body: { type: 5 },
      auth: false,
    }),
  ).rejects.toMatchObject({ code: 40060 });
  expect(discord.violations).toEqual([]);
});

check('an uploaded file is kept and its link can be fetched', async () => {
  await using discord = await startDiscord();
  const direct = discord.addDm(ada);
  await using client = await loginClient(discord);
  const channel = await client.users.createDM(ada.id);

  const sent = await channel.send({
    content: 'long answer',
    files: [{ attachment: Buffer.from('# all of it'), name: 'answer.md' }],
  });
  const link = sent.attachments.first()?.url ?? '';
  const download = await fetch(link);

  expect(await download.text()).toBe('# all of it');
  expect(new URL(link).searchParams.has('ex')).toBe(true);
  expect(discord.sent(direct.id)[0]?.attachments[0]?.filename).toBe('answer.md');
  expect(discord.violations).toEqual([]);
});

check('reactions and typing of discord.js are accepted', async () => {
  await using discord = await startDiscord();
  const guild = discord.addGuild({ members: [bob] });
  const channel = discord.addTextChannel({ guildId: guild.id });
  await using client = await loginClient(discord);
  const arriving = nextMessage(client);
  discord.userSends({ channelId: channel.id, author: bob, content: 'look' });
  const message = await arriving;

  await message.react('👀');
  if (message.channel.isSendable()) await message.channel.sendTyping();

  expect(discord.requests.slice(-2).map((request) => [request.method, request.status])).toEqual([
    ['PUT', 204],
    ['POST', 204],
  ]);
  expect(discord.violations).toEqual([]);
});

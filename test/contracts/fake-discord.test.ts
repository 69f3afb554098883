/** The fake Discord as discord.js sees it: the session and what arrives over it. */
import { Events } from 'discord.js';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import {
  ada,
  discordSchema,
  loginClient,
  makeClient,
  nextMessage,
  startDiscord,
} from '../support/discord.ts';

const check = test.skipIf(discordSchema.missing);

check('discord.js logs in and finds its guild and channel', async () => {
  await using discord = await startDiscord();
  const guild = discord.addGuild({ name: 'workshop', members: [ada] });
  const channel = discord.addTextChannel({ guildId: guild.id, name: 'talk' });

  await using client = await loginClient(discord);

  expect(client.guilds.cache.get(guild.id)?.name).toBe('workshop');
  expect(client.channels.cache.has(channel.id)).toBe(true);
  expect(discord.gatewayLog).toEqual(['identify 37377']);
  expect(discord.violations).toEqual([]);
});

check('a direct message arrives, and the answer is found in the same channel', async () => {
  await using discord = await startDiscord();
  const direct = discord.addDm(ada);
  await using client = await loginClient(discord);
  const arriving = nextMessage(client);

  discord.userSends({ channelId: direct.id, author: ada, content: 'hello bot' });
  const message = await arriving;
  await message.reply({ content: 'hello ada', allowedMentions: { parse: [], repliedUser: false } });

  expect(message.content).toBe('hello bot');
  expect(message.inGuild()).toBe(false);
  expect(discord.sent(direct.id).map((sent) => sent.content)).toEqual(['hello ada']);
  expect(discord.sent(direct.id)[0]?.replyToId).toBe(message.id);
  expect(discord.sent(direct.id)[0]?.allowedMentions).toEqual({ parse: [], replied_user: false });
  expect(discord.violations).toEqual([]);
});

check('a guild message arrives with its guild, its member and the mention of the bot', async () => {
  await using discord = await startDiscord();
  const guild = discord.addGuild({ members: [ada] });
  const channel = discord.addTextChannel({ guildId: guild.id });
  await using client = await loginClient(discord);
  const arriving = nextMessage(client);

  discord.userSends({ channelId: channel.id, author: ada, content: `<@${discord.botUser.id}> help` });
  const message = await arriving;

  expect(message.guildId).toBe(guild.id);
  expect(message.member?.id).toBe(ada.id);
  expect(message.mentions.users.has(discord.botUser.id)).toBe(true);
});

check('messages missed by a muted socket are replayed in order after the resume', async () => {
  await using discord = await startDiscord();
  const direct = discord.addDm(ada);
  await using client = await loginClient(discord);
  const seen: string[] = [];
  client.on(Events.MessageCreate, (message) => seen.push(message.content));

  discord.muteSocket();
  discord.userSends({ channelId: direct.id, author: ada, content: 'one' });
  discord.userSends({ channelId: direct.id, author: ada, content: 'two' });
  discord.unmuteSocket(true);
  await once(client, Events.ShardResume);

  expect(seen).toEqual(['one', 'two']);
  expect(discord.gatewayLog.filter((line) => line.startsWith('identify'))).toHaveLength(1);
});

check(
  'messages missed while the session was lost come only from the history',
  { timeout: 20_000 },
  async () => {
    await using discord = await startDiscord();
    const direct = discord.addDm(ada);
    await using client = await loginClient(discord);
    const seen: string[] = [];
    client.on(Events.MessageCreate, (message) => seen.push(message.content));

    discord.muteSocket();
    const lost = discord.userSends({ channelId: direct.id, author: ada, content: 'lost' });
    discord.unmuteSocket(false);
    await vi.waitFor(
      () => expect(discord.gatewayLog.filter((line) => line.startsWith('identify'))).toHaveLength(2),
      {
        timeout: 15_000,
        interval: 50,
      },
    );
    const fetched = await (await client.users.createDM(ada.id)).messages.fetch(lost.id);

    expect(seen).toEqual([]);
    expect(fetched.content).toBe('lost');
    expect(discord.gatewayLog).toContain('invalid session');
  },
);

check('op 7 makes the client resume', async () => {
  await using discord = await startDiscord();
  await using client = await loginClient(discord);

  discord.sendReconnect();
  await once(client, Events.ShardResume);

  expect(discord.gatewayLog).toEqual(['identify 37377', 'left 4200', 'resume 1']);
});

check('a closed socket and a resumable invalid session are both resumed', async () => {
  await using discord = await startDiscord();
  await using client = await loginClient(discord);

  discord.closeSockets(4000);
  await once(client, Events.ShardResume);
  discord.invalidSession(true);
  await once(client, Events.ShardResume);

  expect(discord.gatewayLog).toEqual(['identify 37377', 'close 4000', 'resume 1', 'resume 2']);
});

check('the client answers a request for a heartbeat at once', async () => {
  await using discord = await startDiscord();
  await using _client = await loginClient(discord);

  discord.requestHeartbeat();

  await vi.waitFor(() => expect(discord.heartbeats).toBe(1));
});

check('a client whose heartbeats stay unanswered drops the socket and resumes', async () => {
  await using discord = await startDiscord({ heartbeatIntervalMs: 150 });
  await using client = await loginClient(discord);

  discord.ackHeartbeats(false);
  await once(client, Events.ShardReconnecting);
  discord.ackHeartbeats(true);
  await once(client, Events.ShardResume);

  expect(discord.gatewayLog.slice(0, 3)).toEqual(['identify 37377', 'left 4200', 'resume 1']);
});

check('a wrong token is refused before the gateway is asked', async () => {
  await using discord = await startDiscord();
  const client = makeClient(discord);

  await expect(client.login('wrong.token')).rejects.toThrow('An invalid token was provided.');

  expect(discord.gatewayLog).toEqual([]);
});

check('an intent that the portal does not grant ends the login for good', async () => {
  await using discord = await startDiscord({ intentsGranted: 0 });
  const client = makeClient(discord);

  await expect(client.login(discord.token)).rejects.toThrow('Used disallowed intents');
  await client.destroy();

  expect(discord.gatewayLog).toEqual(['close 4014']);
});

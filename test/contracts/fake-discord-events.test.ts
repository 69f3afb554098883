/** Which events of the fake Discord reach a session, and in which form. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants, createInflate } from 'node:zlib';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  ada,
  BareSocket,
  discordSchema,
  openSession,
  startDiscord,
  usualIntents,
} from '../support/discord.ts';

const check = test.skipIf(discordSchema.missing);
const properties = { os: 'linux', browser: 'test', device: 'test' };

check('intents decide which events arrive', async () => {
  await using discord = await startDiscord();
  const guild = discord.addGuild({ members: [ada] });
  const channel = discord.addTextChannel({ guildId: guild.id });
  const direct = discord.addDm(ada);
  using socket = BareSocket.open(discord);
  await socket.next();
  socket.identify(discord, 1 << 12);
  await socket.event('READY');

  discord.userSends({ channelId: channel.id, author: ada, content: 'in the guild' });
  discord.userSends({ channelId: direct.id, author: ada, content: 'in private' });

  expect((await socket.next()).d).toMatchObject({ content: 'in private', channel_type: 1 });
});

check('without the content intent only direct messages, mentions and own messages have text', async () => {
  await using discord = await startDiscord();
  const guild = discord.addGuild({ members: [ada] });
  const channel = discord.addTextChannel({ guildId: guild.id });
  const direct = discord.addDm(ada);
  using socket = BareSocket.open(discord);
  await socket.next();
  socket.identify(discord, usualIntents & ~(1 << 15));
  await socket.event('READY');

  discord.userSends({ channelId: channel.id, author: ada, content: 'among us' });
  discord.userSends({
    channelId: channel.id,
    author: ada,
    content: 'you there',
    mentions: [discord.botUser.id],
  });
  discord.userSends({ channelId: direct.id, author: ada, content: 'in private' });
  const seen = [
    await socket.event('MESSAGE_CREATE'),
    await socket.event('MESSAGE_CREATE'),
    await socket.event('MESSAGE_CREATE'),
  ];

  expect(seen.map((frame) => (frame.d as { content: string }).content)).toEqual([
    '',
    'you there',
    'in private',
  ]);
});

check('a direct message has no guild and no member, a guild message has both', async () => {
  await using discord = await startDiscord();
  const guild = discord.addGuild({ members: [ada] });
  const channel = discord.addTextChannel({ guildId: guild.id });
  const direct = discord.addDm(ada);
  const { socket } = await openSession(discord);

  discord.userSends({ channelId: direct.id, author: ada, content: 'a' });
  discord.userSends({ channelId: channel.id, author: ada, content: 'b' });
  const inDirect = (await socket.event('MESSAGE_CREATE')).d as Record<string, unknown>;
  const inGuild = (await socket.event('MESSAGE_CREATE')).d as Record<string, unknown>;

  expect(Object.keys(inDirect)).not.toEqual(expect.arrayContaining(['guild_id']));
  expect(Object.keys(inDirect)).not.toEqual(expect.arrayContaining(['member']));
  expect(inDirect['channel_type']).toBe(1);
  expect(inGuild['guild_id']).toBe(guild.id);
  expect(inGuild['member']).toMatchObject({ roles: [], mute: false });
});

check('zlib-stream is one stream over all frames, each ending in a sync flush', async () => {
  await using discord = await startDiscord();
  const socket = new WebSocket(`${discord.gatewayUrl}/?v=10&encoding=json&compress=zlib-stream`);
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
  const [hello] = (await once(socket, 'message')) as [Buffer];
  socket.send(JSON.stringify({ op: 1, d: null }));
  const [ack] = (await once(socket, 'message')) as [Buffer];

  inflate.write(hello);
  inflate.end(ack);
  let text = '';
  for await (const chunk of inflate) text += String(chunk);
  socket.terminate();

  expect(hello.subarray(-4).toString('hex')).toBe('0000ffff');
  expect(ack.subarray(-4).toString('hex')).toBe('0000ffff');
  expect(ack[0]).not.toBe(0x78);
  expect(text).toContain('"heartbeat_interval":41250');
  expect(text).toContain('"op":11');
});

check('a large frame goes through the zlib stream whole', async () => {
  await using discord = await startDiscord();
  const guild = discord.addGuild({ members: [ada] });
  // Random names, so that the frame stays large when it is packed.
  for (let index = 0; index < 300; index += 1)
    discord.addTextChannel({ guildId: guild.id, name: randomBytes(40).toString('hex') });
  const socket = new WebSocket(`${discord.gatewayUrl}/?v=10&encoding=json&compress=zlib-stream`);
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
  const packed: Buffer[] = [];
  socket.on('message', (data: Buffer) => packed.push(data));
  await once(socket, 'message');

  socket.send(JSON.stringify({ op: 2, d: { token: discord.token, intents: 1, properties } }));
  while (packed.length < 3) await once(socket, 'message');
  inflate.end(Buffer.concat(packed));
  let text = '';
  for await (const chunk of inflate) text += String(chunk);
  socket.terminate();

  expect(text.match(/"position":0/g)).toHaveLength(301);
});

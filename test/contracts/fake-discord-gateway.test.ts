/** The fake Discord's gateway, asked over a bare socket for what discord.js never sends. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants, createInflate } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ada, BareSocket, discordSchema, startDiscord, usualIntents } from '../support/discord.ts';

const check = test.skipIf(discordSchema.missing);
const properties = { os: 'linux', browser: 'test', device: 'test' };

check('HELLO comes first, without sequence and name', async () => {
  await using discord = await startDiscord();
  using socket = BareSocket.open(discord);

  expect(await socket.next()).toMatchObject({ op: 10, s: null, t: null, d: { heartbeat_interval: 41_250 } });
});

check('READY lists guilds as unavailable, then each arrives whole', async () => {
  await using discord = await startDiscord();
  const guild = discord.addGuild({ members: [ada] });
  discord.addTextChannel({ guildId: guild.id, id: '111' });
  discord.addThread({ parentId: '111', id: '222' });
  discord.addDm(ada);
  using socket = BareSocket.open(discord);
  await socket.next();

  socket.identify(discord);
  const [ready, created] = [await socket.next(), await socket.next()];

  expect(ready).toMatchObject({ op: 0, s: 1, t: 'READY' });
  expect(ready.d).toMatchObject({ guilds: [{ id: guild.id, unavailable: true }], private_channels: [], resume_gateway_url: discord.gatewayUrl });
  expect(created).toMatchObject({ op: 0, s: 2, t: 'GUILD_CREATE', d: { unavailable: false, channels: [{ id: '111' }], threads: [{ id: '222' }] } });
});

describe('what a client does wrong closes the socket', () => {
  const closings: [string, number, (socket: BareSocket, token: string) => void][] = [
    ['anything but heartbeats before IDENTIFY', 4003, (socket) => socket.send(3, { status: 'online' })],
    ['an opcode that does not exist', 4001, (socket) => socket.send(99, null)],
    ['a frame that is no JSON', 4002, (socket) => socket.sendText('{"op":')],
    ['a frame of over 4096 bytes', 4002, (socket) => socket.send(1, 'x'.repeat(4096))],
    ['an IDENTIFY without properties', 4002, (socket, token) => socket.send(2, { token, intents: 1 })],
    ['a wrong token', 4004, (socket) => socket.send(2, { token: 'wrong', intents: 1, properties })],
    ['a wrong token in RESUME', 4004, (socket) => socket.send(6, { token: 'wrong', session_id: 'a', seq: 1 })],
    ['a shard outside its count', 4010, (socket, token) => socket.send(2, { token, intents: 1, properties, shard: [2, 2] })],
    ['an intent bit that does not exist', 4013, (socket, token) => socket.send(2, { token, intents: 1 << 18, properties })],
    ['121 frames in a minute', 4008, (socket) => Array.from({ length: 121 }, () => socket.send(1, null))],
  ];

  check.for(closings)('%s: %i', async ([, code, misbehave]) => {
    await using discord = await startDiscord();
    using socket = BareSocket.open(discord);
    await socket.next();

    misbehave(socket, discord.token);

    expect(await socket.closeCode()).toBe(code);
  });

  check('a second IDENTIFY: 4005, and it is a violation', async () => {
    await using discord = await startDiscord();
    using socket = BareSocket.open(discord);
    await socket.next();
    socket.identify(discord);
    await socket.event('READY');

    socket.identify(discord);

    expect(await socket.closeCode()).toBe(4005);
    expect(discord.violations).toEqual(['gateway: closed with 4005: Already authenticated.']);
  });

  check('a privileged intent the portal does not grant: 4014', async () => {
    await using discord = await startDiscord({ intentsGranted: 1 << 1 });
    using socket = BareSocket.open(discord);
    await socket.next();

    socket.identify(discord, 1 << 15);

    expect(await socket.closeCode()).toBe(4014);
    expect(discord.violations).toEqual([]);
  });

  check('another API version: 4012', async () => {
    await using discord = await startDiscord();
    using socket = BareSocket.open(discord, '?v=6&encoding=json');

    expect(await socket.closeCode()).toBe(4012);
  });

  check('a sequence from the future in RESUME: 4007', async () => {
    await using discord = await startDiscord();
    const session = await openSession(discord);
    await session.socket.close(4900);
    using second = BareSocket.open(discord);
    await second.next();

    second.send(6, { token: discord.token, session_id: session.id, seq: 99 });

    expect(await second.closeCode()).toBe(4007);
  });

  check('silence for two heartbeats: 4009', async () => {
    await using discord = await startDiscord({ heartbeatIntervalMs: 20 });
    using socket = BareSocket.open(discord);

    expect(await socket.closeCode()).toBe(4009);
  });
});

check('RESUME replays what came after the sequence, in order, then says RESUMED', async () => {
  await using discord = await startDiscord();
  const direct = discord.addDm(ada);
  const session = await openSession(discord);
  await session.socket.close(4900);
  discord.userSends({ channelId: direct.id, author: ada, content: 'one' });
  discord.userSends({ channelId: direct.id, author: ada, content: 'two' });
  using second = BareSocket.open(discord);
  await second.next();

  second.send(6, { token: discord.token, session_id: session.id, seq: 1 });
  const frames = [await second.next(), await second.next(), await second.next()];

  expect(frames.map((frame) => [frame.s, frame.t])).toEqual([[2, 'MESSAGE_CREATE'], [3, 'MESSAGE_CREATE'], [4, 'RESUMED']]);
  expect(frames.slice(0, 2).map((frame) => (frame.d as { content: string }).content)).toEqual(['one', 'two']);
});

check.for([1000, 1001])('a client that closes with %i has ended its session', async (code) => {
  await using discord = await startDiscord();
  const session = await openSession(discord);
  await session.socket.close(code);
  using second = BareSocket.open(discord);
  await second.next();

  second.send(6, { token: discord.token, session_id: session.id, seq: 1 });

  expect(await second.next()).toEqual({ op: 9, d: false, s: null, t: null });
});

check('a session is forgotten after the resume window', async () => {
  let now = 1_800_000_000_000;
  await using discord = await startDiscord({ clock: { now: () => now }, resumeWindowMs: 60_000 });
  const session = await openSession(discord);
  await session.socket.close(4900);
  now += 60_001;
  using second = BareSocket.open(discord);
  await second.next();

  second.send(6, { token: discord.token, session_id: session.id, seq: 1 });

  expect((await second.next()).op).toBe(9);
});

check('a second IDENTIFY within five seconds gets an invalid session', async () => {
  let now = 1_800_000_000_000;
  await using discord = await startDiscord({ clock: { now: () => now } });
  await openSession(discord);
  using second = BareSocket.open(discord);
  await second.next();

  second.identify(discord);
  const early = await second.next();
  now += 5000;
  second.identify(discord);

  expect(early).toEqual({ op: 9, d: false, s: null, t: null });
  expect((await second.next()).t).toBe('READY');
});

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
  discord.userSends({ channelId: channel.id, author: ada, content: 'you there', mentions: [discord.botUser.id] });
  discord.userSends({ channelId: direct.id, author: ada, content: 'in private' });
  const seen = [await socket.event('MESSAGE_CREATE'), await socket.event('MESSAGE_CREATE'), await socket.event('MESSAGE_CREATE')];

  expect(seen.map((frame) => (frame.d as { content: string }).content)).toEqual(['', 'you there', 'in private']);
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

check('op 1 of the server asks for a heartbeat, and every heartbeat is acknowledged', async () => {
  await using discord = await startDiscord();
  const { socket } = await openSession(discord);

  discord.requestHeartbeat();
  const asked = await socket.next();
  socket.send(1, 1);

  expect(asked.op).toBe(1);
  expect(await socket.next()).toEqual({ op: 11, d: null, s: null, t: null });
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
  for (let index = 0; index < 300; index += 1) discord.addTextChannel({ guildId: guild.id, name: randomBytes(40).toString('hex') });
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

async function openSession(discord: Awaited<ReturnType<typeof startDiscord>>): Promise<{ socket: BareSocket; id: string }> {
  const socket = BareSocket.open(discord);
  await socket.next();
  socket.identify(discord);
  const ready = await socket.next();
  for (const _guild of (ready.d as { guilds: unknown[] }).guilds) await socket.next();
  return { socket, id: (ready.d as { session_id: string }).session_id };
}

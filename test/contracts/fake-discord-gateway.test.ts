/** The fake Discord's gateway, asked over a bare socket for what discord.js never sends. */
import { describe, expect, test } from 'vitest';
import { ada, BareSocket, discordSchema, openSession, startDiscord } from '../support/discord.ts';

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
  expect(ready.d).toMatchObject({
    guilds: [{ id: guild.id, unavailable: true }],
    private_channels: [],
    resume_gateway_url: discord.gatewayUrl,
  });
  expect(created).toMatchObject({
    op: 0,
    s: 2,
    t: 'GUILD_CREATE',
    d: { unavailable: false, channels: [{ id: '111' }], threads: [{ id: '222' }] },
  });
});

describe('what a client does wrong closes the socket', () => {
  const closings: [string, number, (socket: BareSocket, token: string) => void][] = [
    ['anything but heartbeats before IDENTIFY', 4003, (socket) => socket.send(3, { status: 'online' })],
    ['an opcode that does not exist', 4001, (socket) => socket.send(99, null)],
    ['a frame that is no JSON', 4002, (socket) => socket.sendText('{"op":')],
    ['a frame of over 4096 bytes', 4002, (socket) => socket.send(1, 'x'.repeat(4096))],
    ['an IDENTIFY without properties', 4002, (socket, token) => socket.send(2, { token, intents: 1 })],
    ['a wrong token', 4004, (socket) => socket.send(2, { token: 'wrong', intents: 1, properties })],
    [
      'a wrong token in RESUME',
      4004,
      (socket) => socket.send(6, { token: 'wrong', session_id: 'a', seq: 1 }),
    ],
    [
      'a shard outside its count',
      4010,
      (socket, token) => socket.send(2, { token, intents: 1, properties, shard: [2, 2] }),
    ],
    [
      'an intent bit that does not exist',
      4013,
      (socket, token) => socket.send(2, { token, intents: 1 << 18, properties }),
    ],
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

  expect(frames.map((frame) => [frame.s, frame.t])).toEqual([
    [2, 'MESSAGE_CREATE'],
    [3, 'MESSAGE_CREATE'],
    [4, 'RESUMED'],
  ]);
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

check('op 1 of the server asks for a heartbeat, and every heartbeat is acknowledged', async () => {
  await using discord = await startDiscord();
  const { socket } = await openSession(discord);

  discord.requestHeartbeat();
  const asked = await socket.next();
  socket.send(1, 1);

  expect(asked.op).toBe(1);
  expect(await socket.next()).toEqual({ op: 11, d: null, s: null, t: null });
});

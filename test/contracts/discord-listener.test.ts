/** The listening half of the Discord adapter against the strict fake: order, gaps, faults. */
import { describe, expect, test } from 'vitest';
import { adapterWorld, applicationId } from '../support/discord-adapter.ts';
import { ada, bob, discordSchema } from '../support/discord.ts';

async function withGuild(world: Awaited<ReturnType<typeof adapterWorld>>) {
  const guild = world.discord.addGuild({ members: [ada, bob] });
  return world.discord.addTextChannel({ guildId: guild.id });
}

describe.skipIf(discordSchema.missing)('the Discord listener', () => {
  test('stores direct and server messages in the order they were written', async () => {
    await using world = await adapterWorld();
    const channel = await withGuild(world);
    const direct = world.discord.addDm(ada);
    await world.listen();

    world.discord.userSends({ channelId: direct.id, author: ada, content: 'one' });
    world.discord.userSends({ channelId: channel.id, author: bob, content: 'two' });
    world.discord.userSends({ channelId: direct.id, author: ada, content: 'three' });
    await world.memory.until(() => world.memory.updates.length === 3);

    expect(
      world.memory
        .contents('message')
        .map(({ text, chat, sender, addressed }) => [text, chat.kind, sender.id, addressed]),
    ).toEqual([
      ['one', 'direct', ada.id, true],
      ['two', 'group', bob.id, false],
      ['three', 'direct', ada.id, true],
    ]);
    expect(world.listener.account).toEqual({ platform: 'discord', id: applicationId });
    expect(world.listener.lastAlive()).not.toBeNull();
  });

  test('a start asks Discord for its gateway and for nothing else, however many servers there are', async () => {
    await using world = await adapterWorld();
    for (let servers = 0; servers < 20; servers++) {
      const guild = world.discord.addGuild({ members: [ada] });
      world.discord.addTextChannel({ guildId: guild.id });
    }

    const run = await world.listen();
    await run.stop();

    expect(world.discord.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /gateway/bot',
    ]);
  });

  test('takes a mention and a reply to the bot as addressed', async () => {
    await using world = await adapterWorld();
    const channel = await withGuild(world);
    await world.sender.send(
      { place: { chatId: channel.id, threadId: '', kind: 'group' }, text: 'ask me', nonce: 'n' },
      new AbortController().signal,
    );
    const [own] = world.discord.sent(channel.id);
    await world.listen();

    world.discord.userSends({ channelId: channel.id, author: ada, content: `<@${applicationId}> hi` });
    world.discord.userSends({
      channelId: channel.id,
      author: ada,
      content: 'and you?',
      replyTo: own!.id,
      pingsReplied: false,
    });
    await world.memory.until(() => world.memory.updates.length === 2);

    expect(
      world.memory.contents('message').map(({ addressed, replyTo }) => [addressed, replyTo?.text]),
    ).toEqual([
      [true, undefined],
      [true, 'ask me'],
    ]);
  });

  test('a changed text is an edit; a link preview and a pin are not', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    await world.listen();
    const { id: messageId } = world.discord.userSends({
      channelId: direct.id,
      author: ada,
      content: 'frist',
    });

    world.discord.unfoldLink({ channelId: direct.id, messageId });
    world.discord.pin({ channelId: direct.id, messageId });
    world.discord.userEdits({ channelId: direct.id, messageId, content: 'first' });
    world.discord.pin({ channelId: direct.id, messageId });
    await world.memory.until(() => world.memory.contents('edit').length === 1);

    expect(world.memory.updates.map(({ content }) => content.kind)).toEqual([
      'message',
      'ignored',
      'ignored',
      'edit',
    ]);
    expect(world.memory.contents('edit')[0]).toMatchObject({ messageId, text: 'first' });
  });

  test('messages of a short interruption are replayed by the resumed session', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    await world.listen();
    world.discord.userSends({ channelId: direct.id, author: ada, content: 'before' });
    await world.memory.until(() => world.memory.updates.length === 1);

    world.discord.closeSockets(4000);
    world.discord.userSends({ channelId: direct.id, author: ada, content: 'while away' });
    await world.meter.gateway('resumed');
    world.discord.userSends({ channelId: direct.id, author: ada, content: 'after' });
    await world.memory.until(() => world.memory.updates.length === 3);

    expect(world.memory.texts()).toEqual(['before', 'while away', 'after']);
    expect(world.discord.requests.map((request) => request.path)).toEqual(['/gateway/bot']);
  });

  test('an outage of the network ends in a resume, so that a first message of a new chat is not lost', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(bob);
    await world.listen();

    world.discord.refuseSockets(true);
    world.discord.closeSockets();
    world.discord.userSends({ channelId: direct.id, author: bob, content: 'hello, I am new' });
    await world.meter.gateway('reconnect', 3);
    world.discord.refuseSockets(false);
    await world.memory.until(() => world.memory.updates.length === 1);

    expect(world.memory.texts()).toEqual(['hello, I am new']);
    expect(world.discord.gatewayLog.filter((line) => line.startsWith('identify'))).toHaveLength(1);
  });

  test('after a lost session the gap is read from the history, before what comes live', async () => {
    await using world = await adapterWorld();
    const channel = await withGuild(world);
    const direct = world.discord.addDm(ada);
    await world.listen();
    world.discord.userSends({ channelId: direct.id, author: ada, content: 'd1' });
    world.discord.userSends({ channelId: channel.id, author: bob, content: 'g1' });
    await world.memory.until(() => world.memory.updates.length === 2);

    world.discord.muteSocket();
    world.discord.userSends({ channelId: direct.id, author: ada, content: 'd2' });
    world.discord.userSends({ channelId: channel.id, author: bob, content: 'g2' });
    world.discord.userSends({ channelId: direct.id, author: ada, content: 'd3' });
    world.discord.unmuteSocket(false);
    await world.meter.gateway('ready', 2);
    world.discord.userSends({ channelId: direct.id, author: ada, content: 'd4' });
    await world.memory.until(() => world.memory.texts().includes('d4'));

    const said = world.memory.contents('message');
    expect(said.filter(({ chat }) => chat.chatId === direct.id).map(({ text }) => text)).toEqual([
      'd1',
      'd2',
      'd3',
      'd4',
    ]);
    expect(
      said.filter(({ chat }) => chat.chatId === channel.id).map(({ text, chat }) => [text, chat.kind]),
    ).toEqual([
      ['g1', 'group'],
      ['g2', 'group'],
    ]);
    expect(world.meter.counts.get('gateway_discord_gateway_events_total{event=invalid_session}')).toBe(1);
  });

  test('a long gap is read page by page after a restart', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    const first = await world.listen();
    world.discord.userSends({ channelId: direct.id, author: ada, content: 'm0' });
    await world.memory.until(() => world.memory.updates.length === 1);
    await first.stop();

    for (let index = 1; index <= 250; index += 1)
      world.discord.userSends({ channelId: direct.id, author: ada, content: `m${index}` });
    await world.listen();
    await world.memory.until(() => world.memory.updates.length === 251);

    expect(world.memory.texts()).toEqual(Array.from({ length: 251 }, (_, index) => `m${index}`));
    await world.meter.until('gateway_discord_backfill_messages_total{result=stored}', 250);
    const pages = world.discord.requests.filter(
      (request) => request.path === `/channels/${direct.id}/messages`,
    );
    expect(pages.map((request) => request.query['limit'])).toEqual(['100', '100', '100']);
  });

  test('a channel that is gone is skipped and counted', async () => {
    await using world = await adapterWorld({
      adapter: {
        backfillPoints: async () => [{ chatId: '1099999999999999999', lastMessageId: '1099999999999999999' }],
      },
    });
    const direct = world.discord.addDm(ada);
    await world.listen();

    world.discord.userSends({ channelId: direct.id, author: ada, content: 'hi' });
    await world.memory.until(() => world.memory.updates.length === 1);

    expect(world.meter.counts.get('gateway_discord_backfill_messages_total{result=channel_gone}')).toBe(1);
  });

  test('a stop in the middle of a gap stores nothing newer of that channel', async () => {
    await using world = await adapterWorld({
      adapter: { backfillPoints: () => new Promise(() => {}) },
    });
    const direct = world.discord.addDm(ada);
    const run = await world.listen();
    world.discord.userSends({ channelId: direct.id, author: ada, content: 'newer than the gap' });

    await run.stop();

    expect(world.memory.texts()).toEqual([]);
  });

  test('what the store refused is stored later, in order and once', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    await world.listen();
    world.memory.failures = 2;

    world.discord.userSends({ channelId: direct.id, author: ada, content: 'one' });
    world.discord.userSends({ channelId: direct.id, author: ada, content: 'two' });
    await world.memory.until(() => world.memory.updates.length === 2);

    expect(world.memory.texts()).toEqual(['one', 'two']);
    expect(world.memory.failures).toBe(0);
  });

  test('frames of no known shape end nothing', async () => {
    await using world = await adapterWorld();
    const channel = await withGuild(world);
    await world.listen();

    world.discord.dispatchRaw('MESSAGE_CREATE', { channel_id: 7, guild_id: channel.guildId });
    world.discord.dispatchRaw('GUILD_CREATE', {});
    world.discord.dispatchRaw('CHANNEL_UPDATE', { id: [] });
    world.discord.userSends({ channelId: channel.id, author: ada, content: 'still there?' });
    await world.memory.until(() => world.memory.updates.length === 2);

    expect(world.memory.updates.map(({ content }) => content.kind)).toEqual(['unparsed', 'message']);
  });

  test('where nobody writes, the answers to heartbeats say that the server is heard', async () => {
    await using world = await adapterWorld({ fake: { heartbeatIntervalMs: 50 } });
    await world.listen();
    const { gauges } = world.meter;
    const alive = 'gateway_discord_last_alive_timestamp_seconds{shard=0}';
    const event = 'gateway_discord_last_dispatch_timestamp_seconds{shard=0}';
    const atReady = gauges.get(event)!;

    await world.meter.untilTrue(() => gauges.get(alive)! > atReady + 0.2);

    expect(gauges.get(event)).toBe(atReady);
    const latency = gauges.get('gateway_discord_heartbeat_latency_seconds{shard=0}');
    expect(latency).toBeGreaterThanOrEqual(0);
    // Seconds, not the milliseconds that the library tells.
    expect(latency).toBeLessThan(1);
  });

  test('a connection without heartbeat answers is left and resumed', async () => {
    await using world = await adapterWorld({ fake: { heartbeatIntervalMs: 150 } });
    const direct = world.discord.addDm(ada);
    await world.listen();

    world.discord.ackHeartbeats(false);
    await world.meter.gateway('zombie');
    world.discord.ackHeartbeats(true);
    await world.meter.gateway('resumed');
    world.discord.userSends({ channelId: direct.id, author: ada, content: 'alive' });
    await world.memory.until(() => world.memory.updates.length === 1);

    expect(world.memory.texts()).toEqual(['alive']);
  });
});

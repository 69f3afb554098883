/** The sending half of the Discord adapter against the strict fake: once, without pings, and every refusal understood. */
import { silentLogger, silentMeter, systemClock } from '@palimpsest/core';
import { createDiscordAdapter } from '@palimpsest/platforms';
import { describe, expect, test, vi } from 'vitest';
import { adapterWorld, partFor } from '../support/discord-adapter.ts';
import { ada, discordSchema } from '../support/discord.ts';

const messages = 'POST /channels/{channel_id}/messages';
const { signal } = new AbortController();

describe.skipIf(discordSchema.missing)('the Discord sender', () => {
  test('pings nobody and unfolds no links, whatever the text says', async () => {
    await using world = await adapterWorld();
    const guild = world.discord.addGuild({ members: [ada] });
    const channel = world.discord.addTextChannel({ guildId: guild.id });
    const asked = world.discord.userSends({ channelId: channel.id, author: ada, content: 'hi' });
    const text = `@everyone <@${ada.id}> see https://example.com/`;

    const result = await world.sender.send(partFor(channel.id, { text, replyToMessageId: asked.id }), signal);

    const [sent] = world.discord.sent(channel.id);
    expect(result).toEqual({ kind: 'sent', platformMessageId: sent!.id });
    expect(sent).toMatchObject({
      content: text,
      nonce: 'nonce-1',
      flags: 4,
      replyToId: asked.id,
      allowedMentions: { parse: [], replied_user: false },
      pings: { everyone: false, userIds: [], roleIds: [] },
    });
  });

  test('a lost answer repeated with the same nonce gives one message', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    world.discord.dropAnswerNext(messages);

    const lost = await world.sender.send(partFor(direct.id), signal);
    const repeated = await world.sender.send(partFor(direct.id), signal);

    expect(lost.kind).toBe('unknown');
    expect(world.discord.sent(direct.id)).toHaveLength(1);
    expect(repeated).toEqual({ kind: 'sent', platformMessageId: world.discord.sent(direct.id)[0]!.id });
    expect(world.sender.repeatIsSafe).toBe(true);
  });

  test('after the time Discord remembers nonces the channel is read before repeating', async () => {
    const clock = { ms: 1_800_000_000_000, now: () => clock.ms };
    await using world = await adapterWorld({
      fake: { clock },
      adapter: { clock: { now: () => new Date(clock.ms), sleep: async () => {} } },
    });
    const direct = world.discord.addDm(ada);
    world.discord.dropAnswerNext(messages);
    await world.sender.send(partFor(direct.id), signal);
    clock.ms += 60 * 60_000;

    const repeated = await world.sender.send(partFor(direct.id), signal);

    expect(world.discord.sent(direct.id)).toHaveLength(1);
    expect(repeated).toEqual({ kind: 'sent', platformMessageId: world.discord.sent(direct.id)[0]!.id });
  });

  test('a message that never arrived is sent once the channel was read', async () => {
    const clock = { ms: 1_800_000_000_000, now: () => clock.ms };
    await using world = await adapterWorld({
      fake: { clock },
      adapter: { clock: { now: () => new Date(clock.ms), sleep: async () => {} } },
    });
    const direct = world.discord.addDm(ada);
    world.discord.failNext(messages, { status: 502, body: '<html>bad gateway</html>' });
    expect((await world.sender.send(partFor(direct.id), signal)).kind).toBe('unknown');
    clock.ms += 60 * 60_000;

    expect((await world.sender.send(partFor(direct.id), signal)).kind).toBe('sent');
    expect(world.discord.sent(direct.id)).toHaveLength(1);
  });

  test.each([
    ['user', 'chat'],
    ['shared', 'chat'],
    ['global', 'account'],
  ] as const)('a limit of scope %s holds back the %s', async (limited, scope) => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    world.discord.limitNext(messages, 7, limited);

    const result = await world.sender.send(partFor(direct.id), signal);

    expect(result).toMatchObject({ kind: 'wait', scope });
    // The library adds 50 ms for the way.
    const waitMs = result.kind === 'wait' ? result.waitMs : 0;
    expect(waitMs).toBeGreaterThanOrEqual(7_000);
    expect(waitMs).toBeLessThanOrEqual(7_100);
    expect(world.discord.sent(direct.id)).toEqual([]);
  });

  test('more messages than the bucket takes are a wait as well', async () => {
    await using world = await adapterWorld({ fake: { liftRateLimits: false } });
    const direct = world.discord.addDm(ada);

    const kinds = [];
    for (const index of [1, 2, 3, 4, 5, 6]) {
      kinds.push((await world.sender.send(partFor(direct.id, { nonce: `nonce-${index}` }), signal)).kind);
    }

    expect(kinds).toEqual(['sent', 'sent', 'sent', 'sent', 'sent', 'wait']);
  });

  test('a limit does not last longer because the clock was set back', async () => {
    await using world = await adapterWorld({ adapter: { restRequestsPerSecond: 2 } });
    const direct = world.discord.addDm(ada);
    const ahead = performance.timeOrigin + 36 * 60_000;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => ahead + performance.now());
    const kinds = [];
    for (const index of [1, 2])
      kinds.push((await world.sender.send(partFor(direct.id, { nonce: `nonce-${index}` }), signal)).kind);
    clock.mockRestore();

    kinds.push((await world.sender.send(partFor(direct.id, { nonce: 'nonce-3' }), signal)).kind);

    expect(kinds).toEqual(['sent', 'sent', 'sent']);
  });

  test('a ban of the address holds the account back and is not hammered', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    world.discord.failNext(messages, { status: 429, body: '<html>error code: 1015</html>' });

    const result = await world.sender.send(partFor(direct.id), signal);

    expect(result).toEqual({ kind: 'wait', waitMs: 900_000, scope: 'account' });
    expect(world.meter.counts.get('gateway_discord_invalid_requests_total{status=429}')).toBe(1);
    expect(world.discord.requests).toHaveLength(1);
  });

  test.each([
    [404, 10003, 'unreachable', 'does not exist'],
    [403, 50001, 'unreachable', 'View Channel'],
    [403, 50007, 'unreachable', 'no direct messages'],
    [403, 50013, 'unreachable', 'Send Messages'],
    [403, 160005, 'failed', 'thread is locked'],
    [400, 50006, 'failed', 'empty message'],
    [400, 50035, 'failed', 'Discord refused the message'],
    [500, 0, 'unknown', '500'],
  ])('status %i with code %i is %s', async (status, code, kind, words) => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    world.discord.failNext(messages, { status, body: { message: 'as Discord words it', code } });

    expect(await world.sender.send(partFor(direct.id), signal)).toEqual({
      kind,
      message: expect.stringContaining(words),
    });
  });

  test('a refused token is tried again later and says so in the log', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    world.discord.failNext(messages, { status: 401, body: { message: '401: Unauthorized', code: 0 } });

    const refused = await world.sender.send(partFor(direct.id), signal);
    const second = await world.sender.send(partFor(direct.id), signal);

    expect(refused.kind).toBe('retry');
    expect(second.kind).toBe('sent');
    expect(world.logger.lines.some((line) => line.includes('DISCORD_BOT_TOKEN'))).toBe(true);
    expect(world.logger.lines.join('\n')).not.toContain(world.discord.token);
  });

  test('a reply Discord does not take as one is sent as a plain message', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    const asked = world.discord.userSends({ channelId: direct.id, author: ada, content: 'hi' });
    world.discord.failNext(messages, {
      status: 403,
      body: { message: 'Cannot reply without permission to read message history', code: 160002 },
    });

    const result = await world.sender.send(partFor(direct.id, { replyToMessageId: asked.id }), signal);

    expect(result.kind).toBe('sent');
    expect(world.discord.sent(direct.id).map((sent) => sent.replyToId)).toEqual([undefined]);
  });

  test('a reply to a message that was deleted is sent all the same', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    const { id: messageId } = world.discord.userSends({ channelId: direct.id, author: ada, content: 'hi' });
    world.discord.userDeletes({ channelId: direct.id, messageId });

    expect((await world.sender.send(partFor(direct.id, { replyToMessageId: messageId }), signal)).kind).toBe(
      'sent',
    );
  });

  test('an edit keeps pinging nobody', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    const first = await world.sender.send(partFor(direct.id), signal);
    const platformMessageId = first.kind === 'sent' ? first.platformMessageId : '';

    const result = await world.sender.edit!(
      { ...partFor(direct.id, { text: '@everyone done' }), platformMessageId },
      signal,
    );

    expect(result).toEqual({ kind: 'sent', platformMessageId });
    expect(world.discord.sent(direct.id)[0]).toMatchObject({
      content: '@everyone done',
      flags: 4,
      allowedMentions: { parse: [], replied_user: false },
      pings: { everyone: false, userIds: [], roleIds: [] },
    });
  });

  test('typing is shown, and never an error', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    world.discord.failNext('POST /channels/{channel_id}/typing', { status: 500 });

    await world.sender.typing(partFor(direct.id).place);
    await world.sender.typing(partFor(direct.id).place);

    expect(world.discord.requests.map(({ method, path, status }) => [method, path, status])).toEqual([
      ['POST', `/channels/${direct.id}/typing`, 500],
      ['POST', `/channels/${direct.id}/typing`, 204],
    ]);
    expect(world.sender.typingEveryMs).toBe(8_000);
  });

  test('parts are small enough for Discord with room for a mark', async () => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    const parts = world.sender.split('word '.repeat(800), 'plain');

    for (const [index, { text }] of parts.entries())
      await world.sender.send(partFor(direct.id, { text, nonce: `n-${index}` }), signal);

    expect(parts.map((part) => part.text.length)).toEqual([1_929, 1_929, 139]);
    expect(world.discord.sent(direct.id)).toHaveLength(3);
  });
});

test('without a network nothing was sent, so it is tried again', async () => {
  const adapter = createDiscordAdapter({
    token: 'MTAyNzY3MjIwNjI0MDAyMjgzMA.fake.token',
    apiRoot: 'http://127.0.0.1:1/api',
    backfillPoints: async () => [],
    logger: silentLogger,
    meter: silentMeter,
    clock: systemClock,
  });

  expect(await adapter.sender.send(partFor('1023383869883602982'), signal)).toEqual({
    kind: 'retry',
    message: 'Discord cannot be reached (ECONNREFUSED)',
  });
  await adapter.sender.close();
});

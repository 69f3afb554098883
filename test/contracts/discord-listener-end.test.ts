/** How the Discord listener ends, and how it goes on without the right to read messages. */
import { GatewayError } from '@palimpsest/core';
import { describe, expect, test } from 'vitest';
import { adapterWorld, applicationId, startRun } from '../support/discord-adapter.ts';
import { ada, bob, discordSchema } from '../support/discord.ts';

const contentIntent = 1 << 15;

describe.skipIf(discordSchema.missing)('the end of the Discord listener', () => {
  test('a token that REST refuses ends the listener and names the setting', async () => {
    await using world = await adapterWorld({ adapter: { token: 'MTAyNzY3MjIwNjI0MDAyMjgzMA.other.token' } });

    const run = startRun(world.listener, world.memory.store);

    await expect(run.ended).rejects.toMatchObject({
      code: 'platform_unauthorised',
      message: expect.stringContaining('DISCORD_BOT_TOKEN'),
    });
  });

  test.each([
    [4004, 'DISCORD_BOT_TOKEN'],
    [4010, 'shard'],
    [4011, '2,500'],
    [4012, 'update the program'],
    [4013, 'intents'],
  ])('close code %i ends the listener with words and without another try', async (code, words) => {
    await using world = await adapterWorld();
    const run = await world.listen();

    world.discord.closeSockets(code);
    const thrown = await run.ended.catch((error: unknown) => error);

    expect(thrown).toBeInstanceOf(GatewayError);
    expect(thrown).toMatchObject({
      code: 'platform_unauthorised',
      retryable: false,
      message: expect.stringContaining(words),
    });
    expect(world.discord.gatewayLog.filter((line) => line.startsWith('identify'))).toHaveLength(1);
  });

  test('without the content intent it names the switch and goes on with direct messages and mentions', async () => {
    await using world = await adapterWorld({ fake: { intentsGranted: 0 } });
    const guild = world.discord.addGuild({ members: [ada, bob] });
    const channel = world.discord.addTextChannel({ guildId: guild.id });
    const direct = world.discord.addDm(ada);
    await world.listen();

    world.discord.userSends({ channelId: direct.id, author: ada, content: 'private' });
    world.discord.userSends({ channelId: channel.id, author: bob, content: 'chatter' });
    world.discord.userSends({
      channelId: channel.id,
      author: bob,
      content: `<@${applicationId}> you there?`,
    });
    await world.memory.until(() => world.memory.updates.length === 3);

    expect(world.memory.texts()).toEqual(['private', `<@${applicationId}> you there?`]);
    expect(world.memory.contents('ignored').map(({ reason }) => reason)).toEqual(['no_text']);
    const lines = world.logger.lines.filter((line) => line.includes('Message Content Intent'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`https://discord.com/developers/applications/${applicationId}/bot`);
    const identified = world.discord.gatewayLog.filter((line) => line.startsWith('identify'));
    expect(identified.map((line) => Number(line.split(' ')[1]) & contentIntent)).toEqual([0]);
  });

  test('no session in time ends the run so that it is started again', async () => {
    await using world = await adapterWorld({ adapter: { readyTimeoutMs: 200 } });
    world.discord.refuseSockets(true);

    const run = startRun(world.listener, world.memory.store);

    await expect(run.ended).rejects.toMatchObject({ code: 'platform_unavailable', retryable: true });
  });

  test('stopping is quick although the other side does not answer the close, and nothing connects again', async () => {
    await using world = await adapterWorld();
    const run = await world.listen();
    world.discord.muteSocket();
    const startedAt = performance.now();

    await run.stop();

    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(world.discord.gatewayLog.filter((line) => line.startsWith('identify'))).toHaveLength(1);
  });
});

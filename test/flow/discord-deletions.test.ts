/** A message deleted on Discord: gone from everywhere, while it waits and after it was answered. */
import { describe, expect, test } from 'vitest';
import { adapterWorld } from '../support/discord-adapter.ts';
import { ada, discordSchema } from '../support/discord.ts';
import { openTurnWorld, pause } from '../support/turn-world.ts';

const secret = 'The vault stands behind heliotrope curtains.';

describe.skipIf(discordSchema.missing)('on Discord', () => {
  test('a deleted message is erased with what quotes it, and the conversation goes on', async () => {
    await using discordWorld = await adapterWorld({ adapter: { backfillPoints: async () => [] } });
    const { discord } = discordWorld;
    const channel = discord.addDm(ada);
    const texts = () => discord.sent(channel.id).map((message) => message.content);
    await using world = await openTurnWorld({
      script: (request) => ({ text: `Answer ${request.messages.length}: ${request.messages.at(-1)!.text}` }),
      config: `platforms: {discord: {allowed_users: ["${ada.id}"]}}`,
      adapters: [discordWorld],
    });
    const traces = () => world.store.erase.traces({ texts: ['heliotrope'] });

    await discordWorld.meter.gateway('ready');
    const message = discord.userSends({ channelId: channel.id, author: ada, content: secret });
    await until(() => texts().length > 0);
    discord.userDeletes({ channelId: channel.id, messageId: message.id });
    await until(async () => Object.keys(await traces()).length === 0);
    discord.userSends({ channelId: channel.id, author: ada, content: 'Still there?' });
    await until(() => texts().length > 1);

    expect(texts()[1]).toContain('Still there?');
    expect(await traces()).toEqual({});
    expect(world.model.violations).toEqual([]);
  }, 60_000);
});

async function until(fits: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await fits())) {
    if (performance.now() > end) throw new Error('it did not come to that');
    await pause();
  }
}

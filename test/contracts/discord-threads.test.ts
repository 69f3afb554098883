/** Threads on the strict fake: an archived one wakes by a message, a locked one is told in words that help. */
import { expect, describe, test } from 'vitest';
import { adapterWorld, partFor } from '../support/discord-adapter.ts';
import { ada, discordSchema } from '../support/discord.ts';

const { signal } = new AbortController();

describe.skipIf(discordSchema.missing)('threads on Discord', () => {
  async function thread(state: { archived: boolean; locked: boolean }) {
    const world = await adapterWorld();
    const guild = world.discord.addGuild({ members: [ada] });
    const { id: parentId } = world.discord.addTextChannel({ guildId: guild.id });
    return { world, threadId: world.discord.addThread({ parentId, ...state }).id };
  }

  test('an archived thread takes the answer and is awake with it', async () => {
    const { world, threadId } = await thread({ archived: true, locked: false });
    await using _world = world;

    const result = await world.sender.send(partFor(threadId, { text: 'here' }), signal);

    expect(result.kind).toBe('sent');
    expect(world.discord.sent(threadId).map(({ content }) => content)).toEqual(['here']);
  });

  test('a locked one refuses for good, and says what the operator can do', async () => {
    const { world, threadId } = await thread({ archived: true, locked: true });
    await using _world = world;

    const result = await world.sender.send(partFor(threadId, { text: 'here' }), signal);

    expect(result).toEqual({
      kind: 'failed',
      message:
        'the thread is locked; unlock it, or give the bot "Manage Threads" (Discord 160005, status 403)',
    });
  });
});

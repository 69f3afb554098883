/** What people wrote on Discord while nobody listened: it is read afterwards and answered once, in order. */
import { startGateway } from '@palimpsest/gateway';
import { systemClock } from '@palimpsest/core';
import { describe, expect, test } from 'vitest';
import { withClient } from '../../packages/testkit/src/database/with-client.ts';
import { door, said } from '../support/busy-world.ts';
import { discordAdapterOf } from '../support/discord-adapter.ts';
import { ada, bob, discordSchema, startDiscord } from '../support/discord.ts';
import { recordingMeter } from '../support/recording-meter.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

interface Wish {
  /** No model answers before that. */
  answering?: Promise<void>;
  /** The history of the direct chat is read from its beginning each time. */
  isReadAnew?: boolean;
}

async function openRoom({ answering = Promise.resolve(), isReadAnew = false }: Wish = {}) {
  const stack = new AsyncDisposableStack();
  const discord = stack.use(await startDiscord({ liftRateLimits: true }));
  const guild = discord.addGuild({ members: [ada, bob] });
  const channel = discord.addTextChannel({ guildId: guild.id }).id;
  const direct = discord.addDm(ada).id;
  let asked = 0;
  const world = stack.use(
    await openTurnWorld({
      // The last word that was said: what came together is answered together.
      async script(request) {
        asked += 1;
        await answering;
        return { text: `answered: ${said(request).at(-1)?.split(' ').at(-1)}` };
      },
      config: `platforms: {discord: {allowed_users: ['${ada.id}', '${bob.id}']}}`,
    }),
  );
  const { store, queue, workerDeps } = world;
  const { meter, counted } = recordingMeter();
  const beginning = { chatId: direct, threadId: '', lastMessageId: '100000000000000000' };
  const listen = async () => {
    const adapter = discordAdapterOf(discord, {
      backfillPoints: async (account) => (isReadAnew ? [beginning] : store.intake.backfillPoints(account)),
    });
    const deps = { ...workerDeps, store, queue, meter, clock: systemClock, owner: 'discord' };
    const gateway = startGateway(deps, [adapter]);
    await until(() => discord.connected === 1);
    return gateway;
  };
  const texts = (channelId: string) => discord.sent(channelId).map(({ content }) => content);
  return {
    discord,
    channel,
    direct,
    listen,
    texts,
    asked: () => asked,
    results: () => counted('gateway_inbound_updates_total').map(({ result }) => result),
    answered: (channelId: string, line: string) =>
      until(() => texts(channelId).includes(`answered: ${line}`)),
    /** The lines of people in the transcripts, oldest first. */
    async lines() {
      const { rows } = await withClient(world.databaseUrl, (client) =>
        client.query<{ content: string }>(
          `SELECT piece->>'text' AS content FROM messages, jsonb_array_elements(parts) AS piece
           WHERE kind = 'person' AND piece->>'type' = 'text' ORDER BY session_id, seq`,
        ),
      );
      return rows.map(({ content }) => content);
    },
    [Symbol.asyncDispose]: async () => {
      await stack.disposeAsync();
      expect(discord.violations).toEqual([]);
    },
  };
}

describe.skipIf(discordSchema.missing)('on Discord', () => {
  test.each([
    ['while no gateway ran', 'restart'],
    ['while the connection was gone and its session lost', 'lost session'],
  ])('what was written %s is answered once, in order', async (_, way) => {
    await using room = await openRoom();
    const { discord, direct, channel } = room;
    const mention = `<@${discord.botUser.id}>`;
    const write = (channelId: string, author: typeof ada, content: string) =>
      discord.userSends({ channelId, author, content });
    let gateway = await room.listen();
    write(direct, ada, 'one');
    await room.answered(direct, 'one');
    write(channel, bob, `${mention} first`);
    await room.answered(channel, 'first');

    if (way === 'restart') await gateway.stop();
    else discord.muteSocket();
    write(direct, ada, 'two');
    write(channel, bob, 'not for the bot');
    write(channel, bob, `${mention} second`);
    write(direct, ada, 'three');
    if (way === 'restart') gateway = await room.listen();
    else discord.unmuteSocket(false);
    await room.answered(direct, 'three');
    await room.answered(channel, 'second');
    write(direct, ada, 'four');
    await room.answered(direct, 'four');
    await gateway.stop();

    const lines = await room.lines();
    expect(lines.filter((line) => !line.startsWith('<'))).toEqual(['one', 'two', 'three', 'four']);
    expect(lines.filter((line) => line.startsWith('<'))).toEqual([`${mention} first`, `${mention} second`]);
    for (const channelId of [direct, channel])
      expect(new Set(room.texts(channelId)).size).toBe(room.texts(channelId).length);
  });

  test.each(['while it is answered', 'after it was answered'])(
    'a message that the history gives once more %s is one turn',
    async (when) => {
      const answering = door();
      await using room = await openRoom({ answering: answering.opened, isReadAnew: true });
      const { discord, direct } = room;
      const gateway = await room.listen();
      discord.userSends({ channelId: direct, author: ada, content: 'one' });
      await until(() => room.asked() === 1);
      if (when === 'after it was answered') {
        answering.open();
        await room.answered(direct, 'one');
      }

      discord.muteSocket();
      discord.unmuteSocket(false);
      await until(() => room.results().includes('duplicate'));
      answering.open();
      await room.answered(direct, 'one');
      discord.userSends({ channelId: direct, author: ada, content: 'two' });
      await room.answered(direct, 'two');
      await gateway.stop();

      expect(room.texts(direct)).toEqual(['answered: one', 'answered: two']);
      expect(await room.lines()).toEqual(['one', 'two']);
    },
  );
});

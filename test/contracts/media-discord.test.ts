/** Attachments from the fake Discord, whose links are dead after a day, by the adapter's own fetcher. */
import { describe, expect, test } from 'vitest';
import type { IncomingMedia } from '@palimpsest/core';
import { adapterWorld } from '../support/discord-adapter.ts';
import { ada, discordSchema } from '../support/discord.ts';

const dayMs = 24 * 60 * 60_000;
const { signal } = new AbortController();
const limits = { maxBytes: 1_000, timeoutMs: 5_000 };

interface File {
  filename: string;
  contentType: string;
  bytes: Uint8Array;
}

describe.skipIf(discordSchema.missing)('attachments on Discord', () => {
  async function open() {
    const clock = { ms: 1_800_000_000_000, now: () => clock.ms };
    const world = await adapterWorld({ fake: { clock } });
    await world.listen();
    const channel = world.discord.addDm(ada);
    const place = { chatId: channel.id, threadId: '', kind: 'direct' } as const;
    return {
      discord: world.discord,
      clock,
      channelId: channel.id,
      /** What arrives of a message with these files. */
      async receives(...attachments: File[]): Promise<{ id: string; media: readonly IncomingMedia[] }> {
        const { id } = world.discord.userSends({
          channelId: channel.id,
          author: ada,
          content: '',
          attachments,
        });
        await world.memory.until(() => world.memory.contents('message').length > 0);
        return { id, media: world.memory.contents('message')[0]!.media ?? [] };
      },
      async messages(count: number) {
        await world.memory.until(() => world.memory.contents('message').length >= count);
        return world.memory.contents('message');
      },
      fetch: (messageId: string, media: IncomingMedia) =>
        world.media.fetch({ place, messageId, media }, limits, signal),
      asked: () => world.discord.requests.filter(({ path }) => path.startsWith('/channels/')).length,
      [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
    };
  }

  const notes = { filename: 'notes.txt', contentType: 'text/plain', bytes: Buffer.from('hello') };
  const picture = { filename: 'pier.png', contentType: 'image/png', bytes: Buffer.from('PNG') };

  test('each is announced with name, kind and size, and fetched by its link', async () => {
    await using room = await open();
    const { id, media } = await room.receives(picture, notes);

    expect(media).toMatchObject([
      { kind: 'photo', name: 'pier.png', mime: 'image/png', bytes: 3 },
      { kind: 'document', name: 'notes.txt', mime: 'text/plain', bytes: 5 },
    ]);
    expect(await room.fetch(id, media[1]!)).toEqual({ kind: 'fetched', bytes: Buffer.from('hello') });
    expect(room.asked()).toBe(0);
  });

  test('a link that has expired is asked for anew', async () => {
    await using room = await open();
    const { id, media } = await room.receives(notes);
    room.clock.ms += 2 * dayMs;

    expect(await room.fetch(id, media[0]!)).toEqual({ kind: 'fetched', bytes: Buffer.from('hello') });
    expect(room.asked()).toBe(1);
  });

  test('files that a message answers or passes on are found anew, too', async () => {
    await using room = await open();
    const old = await room.receives(notes);
    const { channelId } = room;
    const answer = room.discord.userSends({ channelId, author: ada, content: 'read it', replyTo: old.id });
    const forward = room.discord.userSends({
      channelId,
      author: ada,
      content: '',
      forwards: { channelId, messageId: old.id },
    });
    const [, answered, passedOn] = await room.messages(3);
    room.clock.ms += 2 * dayMs;

    expect(answered?.media).toMatchObject([{ name: 'notes.txt', isAnswered: true }]);
    expect(passedOn?.media).toMatchObject([{ name: 'notes.txt' }]);
    const hello = { kind: 'fetched', bytes: Buffer.from('hello') };
    expect(await room.fetch(answer.id, answered!.media![0]!)).toEqual(hello);
    expect(await room.fetch(forward.id, passedOn!.media![0]!)).toEqual(hello);
  });

  test('of a message that was deleted meanwhile it is gone', async () => {
    await using room = await open();
    const { id, media } = await room.receives(notes);
    room.clock.ms += 2 * dayMs;
    room.discord.userDeletes({ channelId: room.channelId, messageId: id });

    expect(await room.fetch(id, media[0]!)).toEqual({ kind: 'gone', message: '404 10008' });
  });

  test('one announced as too large is not asked for', async () => {
    await using room = await open();
    const { id, media } = await room.receives(notes);

    expect(await room.fetch(id, { ...media[0]!, bytes: 1_001 })).toEqual({
      kind: 'too_large',
      limitBytes: 1_000,
    });
  });

  test('a link that leads elsewhere is not followed', async () => {
    await using room = await open();
    const reference = JSON.stringify({ id: '1', url: 'http://169.254.169.254/latest/meta-data' });

    expect(await room.fetch('1', { kind: 'document', reference })).toEqual({
      kind: 'gone',
      message: 'the link does not lead to the platform',
    });
  });
});

/** Files that go: with a message that is erased, with one that it answers, and by retention. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IncomingMedia } from '@palimpsest/core';
import { account, claimed, messageUpdate, policy } from '../support/intake.ts';
import { fetched, filesIn, notes, options, photo, withFiles } from '../support/files-in-mail.ts';
import { png } from '../support/media.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeEach(async () => {
  world = await openTestStore();
});
afterEach(() => world[Symbol.asyncDispose]());

const { arrive, taken, work, parts, payloads } = filesIn(() => world);

describe('erased', () => {
  const deleted = (key: string, messageId: string) => ({
    updateKey: key,
    raw: Buffer.from('{}'),
    content: { kind: 'deleted' as const, chatId: '42', messageIds: [messageId] },
  });

  test('a message deleted while its files are fetched: nothing of them is kept', async () => {
    await arrive(withFiles(1, [photo]));
    const task = await taken();
    await world.store.intake.storeUpdates(policy(), [deleted('d1', '1')]);

    expect(await world.store.media.settle(task, [fetched(photo, png())], [])).toBeNull();
    expect(await payloads()).toEqual([]);
  });

  test('a message deleted before its turn: its files go, unless another that waits has the same', async () => {
    await arrive(withFiles(1, [photo, notes]), withFiles(2, [photo]));
    const [first, second] = await world.store.media.take(account, options);
    await world.store.media.settle(
      first!,
      [fetched(photo, png()), fetched(notes, Buffer.from('marker'))],
      [],
    );
    await world.store.media.settle(second!, [fetched(photo, png())], []);

    await world.store.intake.storeUpdates(policy(), [deleted('d1', '1')]);

    expect(await payloads()).toMatchObject([{ mime: 'image/png' }]);
    expect(await world.store.erase.traces({ texts: ['marker', 'notes.txt'] })).toEqual({});
  });

  test('a message that was read: its files go with it', async () => {
    const sessionId = await arrive(withFiles(1, [photo, notes]), messageUpdate(2, 'hello'));
    await world.store.media.settle(
      await taken(),
      [fetched(photo, png()), fetched(notes, Buffer.from('the marker word'))],
      [],
    );
    const lease = await claimed(world.store, sessionId);
    const turn = await work(lease);
    if (turn.kind !== 'turn') throw new Error(turn.kind);

    await world.store.erase.message(lease, { chatRowId: turn.turn.chat.chatRowId, messageId: '1' });

    expect(await payloads()).toEqual([]);
    expect(await world.store.erase.traces({ texts: ['marker', 'notes.txt'] })).toEqual({});
  });

  test('files of an erased message that another answers go with it; the answer keeps its words and its own', async () => {
    const answered: IncomingMedia = { ...notes, isAnswered: true };
    const replyTo = { messageId: '1', text: '', senderName: 'Ada' };
    const sessionId = await arrive(
      messageUpdate(1, 'look at this'),
      messageUpdate(2, 'what is it?', { media: [photo, answered], replyTo }),
    );
    await world.store.media.settle(
      await taken(),
      [fetched(photo, png()), fetched(notes, Buffer.from('the marker word'))],
      [],
    );
    const lease = await claimed(world.store, sessionId);
    const turn = await work(lease);
    if (turn.kind !== 'turn') throw new Error(turn.kind);

    await world.store.erase.message(lease, { chatRowId: turn.turn.chat.chatRowId, messageId: '1' });

    expect(await payloads()).toMatchObject([{ mime: 'image/png' }]);
    expect(await world.store.erase.traces({ texts: ['marker', 'notes.txt'] })).toEqual({});
    expect((await parts(sessionId))[1]).toMatchObject([
      { type: 'header', text: '[2026-11-29 12:00]' },
      { type: 'text', text: 'what is it?' },
      { type: 'payload', mime: 'image/png' },
    ]);
  });
});

describe('retention', () => {
  const retire = (media: number | null) =>
    world.store.sweep.retire({ inbox: 7, events: 30, ledger: 90, media });
  const age = (days: number) => world.sql(`UPDATE payloads SET created_at = now() - interval '${days} days'`);
  const sizes = () => world.sql('SELECT mime, octet_length(content) AS left FROM payloads ORDER BY mime');
  const archive = () => world.sql(`UPDATE messages SET active = 0, compacted = 1`);

  async function readOnce(): Promise<string> {
    const sessionId = await arrive(messageUpdate(1, 'the pier', { media: [photo, notes] }));
    const files = [fetched(photo, png()), fetched(notes, Buffer.from('low tide at noon'))];
    await world.store.media.settle(await taken(), files, []);
    const lease = await claimed(world.store, sessionId);
    await work(lease);
    return sessionId;
  }

  test('an old picture of archived lines is emptied, and only that: words, texts and a mark stay', async () => {
    const sessionId = await readOnce();
    const [before] = await parts(sessionId);
    await age(31);

    const whileLive = await retire(30);
    await archive();
    await age(29);
    const whileYoung = await retire(30);
    await age(31);
    const unasked = await retire(null);
    const due = await retire(30);

    expect([whileLive, whileYoung, unasked, due, await retire(30)]).toEqual([0, 0, 0, 1, 0]);
    expect(await sizes()).toEqual([
      { mime: 'image/png', left: 0 },
      { mime: 'text/plain', left: 16 },
    ]);
    const [{ rows }] = (await world.sql('SELECT jsonb_agg(parts) AS rows FROM messages')) as [
      { rows: unknown },
    ];
    expect(rows).toEqual([before]);
    const ids = before!.flatMap((part) => (part.type === 'payload' ? [part.payloadId] : []));
    expect([...(await world.store.transcript.contents(sessionId, ids)).values()]).toMatchObject([
      { mime: 'text/plain' },
    ]);
  });

  test('a message that waits keeps its file, and one that brings an emptied file again fills it', async () => {
    await readOnce();
    await archive();
    await arrive(withFiles(2, [photo]));
    const task = await taken();
    await age(31);
    await retire(30);

    await world.store.media.settle(task, [fetched(photo, png())], []);
    await age(31);

    expect(await retire(30)).toBe(0);
    expect(await sizes()).toMatchObject([{ left: png().length }, { left: 16 }]);
  });
});

/** Files on their way from a mailbox row to the prompt: who fetches them, who waits, and what is left when they go. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { account, claimed, commandUpdate, editUpdate, messageUpdate, next } from '../support/intake.ts';
import { fetched, filesIn, notes, options, photo, voice, withFiles } from '../support/files-in-mail.ts';
import { ogg, png } from '../support/media.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeEach(async () => {
  world = await openTestStore();
});
afterEach(() => world[Symbol.asyncDispose]());

const { arrive, taken, work, parts, payloads } = filesIn(() => world);

describe('taking', () => {
  test('a message with files is taken once, by whoever serves its account', async () => {
    const sessionId = await arrive(withFiles(1, [photo, { kind: 'sticker', reference: 'file-9' }]));

    expect(await world.store.media.take({ platform: 'telegram', id: '901' }, options)).toEqual([]);
    expect(await world.store.sweep.accountsToFetch()).toEqual(['telegram-900']);
    expect(await world.store.media.take(account, options)).toMatchObject([
      { sessionId, messageId: '1', chat: { place: { chatId: '42' } }, wanted: [photo] },
    ]);
    expect(await world.store.media.take(account, options)).toEqual([]);
    expect(await world.store.sweep.accountsToFetch()).toEqual([]);
  });

  test('what its taker did not finish is due again', async () => {
    await arrive(withFiles(1, [photo]));
    await world.store.media.take(account, { limit: 1, holdMs: 0 });
    expect(await world.store.media.take(account, options)).toHaveLength(1);
  });

  test('files of kinds that nobody can use are not waited for', async () => {
    const sessionId = await arrive(withFiles(1, [{ kind: 'video', reference: 'file-9', seconds: 3 }]));

    expect(await world.store.media.take(account, options)).toEqual([]);
    expect((await work(await claimed(world.store, sessionId))).kind).toBe('turn');
    expect(await parts(sessionId)).toEqual([
      [
        { type: 'header', text: '[2026-11-29 12:00]' },
        { type: 'header', text: '[video of 3 s: it cannot be watched here; say so if it matters]' },
      ],
    ]);
  });
});

describe('waiting', () => {
  test('the message waits, nobody is woken for it, and what comes after it waits behind it', async () => {
    const sessionId = await arrive(withFiles(1, [photo]), messageUpdate(2, 'and?'));
    const lease = await claimed(world.store, sessionId);
    const early = await next(world.store, lease);

    expect(early).toMatchObject({ kind: 'later' });
    expect((early as { waitMs: number }).waitMs).toBeGreaterThan(290_000);
    expect(await world.store.turns.release(lease)).toBe(true);
  });

  test('alone it is no reason to wake its session', async () => {
    const sessionId = await arrive(withFiles(1, [photo]));
    const lease = await claimed(world.store, sessionId);

    expect(await world.store.turns.release(lease)).toBe(false);
    expect(await world.store.sweep.sessionsToWake(10)).toEqual([]);
  });

  test('files that come never are not waited for without end: the turn runs and the model is told', async () => {
    const sessionId = await arrive(withFiles(1, [photo]));
    await world.sql(`UPDATE mailbox SET accepted_at = now() - interval '301 s'`);

    expect(await world.store.sweep.sessionsToWake(10)).toEqual([sessionId]);
    expect((await work(await claimed(world.store, sessionId))).kind).toBe('turn');
    expect(await parts(sessionId)).toMatchObject([
      [{}, { text: '[picture: it could not be fetched in time; ask for it again if it matters]' }],
    ]);
    expect(await world.store.media.take(account, options)).toEqual([]);
  });

  test('an edit of the caption meanwhile is what is read', async () => {
    const sessionId = await arrive(messageUpdate(1, 'what is tihs?', { media: [photo] }));
    await arrive(editUpdate(77, 1, 'what is this?'));
    await world.store.media.settle(await taken(), [fetched(photo, png())], []);

    await work(await claimed(world.store, sessionId));

    expect(await parts(sessionId)).toMatchObject([[{}, { text: 'what is this?' }, { mime: 'image/png' }]]);
  });
});

describe('settled', () => {
  test('the message is read with its files, and each content is kept once', async () => {
    const sessionId = await arrive(withFiles(1, [photo, notes]));
    const task = await taken();
    const settled = [fetched(photo, png()), fetched(notes, Buffer.from('größer'))];

    expect(await world.store.media.settle(task, settled, [])).toBe(sessionId);
    expect(await world.store.media.settle(task, settled, [])).toBeNull();
    expect((await work(await claimed(world.store, sessionId))).kind).toBe('turn');
    expect(await parts(sessionId)).toMatchObject([
      [
        { type: 'header' },
        { type: 'payload', mime: 'image/png', preview: '[picture]' },
        { type: 'header', text: '[file "notes.txt", 1 kB; what follows stands in it]' },
        { type: 'payload', mime: 'text/plain', preview: 'größer' },
      ],
    ]);
    expect(await payloads()).toMatchObject([
      { mime: 'image/png', bytes: 65 },
      { mime: 'text/plain', bytes: 8 },
    ]);
    const [row] = await world.sql('SELECT content::text FROM mailbox');
    expect(row!['content']).not.toContain('größer');
  });

  test('contents are read back, also by a session that this one was rotated into', async () => {
    const sessionId = await arrive(withFiles(1, [photo]));
    const bytes = png();
    await world.store.media.settle(await taken(), [fetched(photo, bytes)], []);
    await world.sql(
      `INSERT INTO sessions (id, parent_session_id, engine, platform, account, chat_kind, chat_row_id)
       SELECT 'child', id, engine, platform, account, chat_kind, chat_row_id FROM sessions WHERE id = $1`,
      [sessionId],
    );
    const id = 'a634962d22df99eb6f9b7ba246aae9c225c23bed382bc33e99efc80623b0c591';

    const found = await world.store.transcript.contents('child', [id, 'gone']);

    expect([...found]).toEqual([[id, { mime: 'image/png', bytes }]]);
  });

  test('a part of an album goes on waiting for the others', async () => {
    const sessionId = await arrive(withFiles(1, [photo], { series: 'album:7' }));
    await world.store.media.settle(await taken(), [fetched(photo, png())], []);

    const early = await next(world.store, await claimed(world.store, sessionId));

    expect(early.kind).toBe('later');
    expect((early as { waitMs: number }).waitMs).toBeLessThan(60_001);
  });

  test('/reset meanwhile takes the message along, with its files', async () => {
    const sessionId = await arrive(commandUpdate(1, 'reset'), withFiles(2, [photo]));
    const lease = await claimed(world.store, sessionId);
    await world.store.turns.takeSignals(lease);
    const command = await next(world.store, lease);
    if (command.kind !== 'command') throw new Error(command.kind);
    await arrive(withFiles(3, [{ ...photo, reference: 'file-late' }]));
    const [early, late] = await world.store.media.take(account, options);
    await world.store.media.settle(early!, [fetched(photo, png())], []);

    const newId = await world.store.turns.resetSession(lease, command.row.chat, () => []);
    const settledIn = await world.store.media.settle(
      late!,
      [{ ...fetched(photo, png(2, 2)), reference: 'file-late' }],
      [],
    );
    await work(await claimed(world.store, newId));

    expect(settledIn).toBe(newId);
    const rows = await parts(newId);
    const ids = rows.flat().flatMap((part) => (part.type === 'payload' ? [part.payloadId] : []));
    expect(ids).toHaveLength(2);
    expect([...(await world.store.transcript.contents(newId, ids)).keys()].sort()).toEqual([...ids].sort());
  });
});

describe('voice messages', () => {
  test('come first as work of their own, until their words are there', async () => {
    const sessionId = await arrive(withFiles(1, [voice, photo]));
    await world.store.media.settle(await taken(), [fetched(voice, ogg()), fetched(photo, png())], []);
    const lease = await claimed(world.store, sessionId);

    const first = await work(lease);
    const again = await work(lease);
    await world.store.turns.storeHeard(lease, [{ seq: 1, reference: 'file-3', text: 'Buy milk.\0' }]);
    const then = await work(lease);

    expect(first).toMatchObject({ kind: 'audio', audio: [{ seq: 1, media: voice, mime: 'audio/ogg' }] });
    expect(again.kind).toBe('audio');
    expect(then.kind).toBe('turn');
    expect(await parts(sessionId)).toMatchObject([
      [{}, { mime: 'audio/ogg' }, { type: 'text', text: 'Buy milk.' }, { mime: 'image/png' }],
    ]);
  });

  test('whose words cannot be written down are a note', async () => {
    const sessionId = await arrive(withFiles(1, [voice]));
    await world.store.media.settle(await taken(), [fetched(voice, ogg())], []);
    const lease = await claimed(world.store, sessionId);

    await world.store.turns.storeHeard(lease, [{ seq: 1, reference: 'file-3', text: null }]);
    await work(lease);

    expect(await parts(sessionId)).toMatchObject([
      [{}, { text: expect.stringContaining('its words could not be written down') }],
    ]);
  });
});

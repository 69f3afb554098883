/** Files from the fake Bot API server, by the adapter's own fetcher. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IncomingMedia } from '@palimpsest/core';
import { openAdapter, type AdapterWorld } from '../support/telegram-adapter.ts';
import { botApiSchema } from '../support/fake-telegram.ts';

const place = { chatId: '42', threadId: '', kind: 'direct' } as const;
const megabyte = 1024 * 1024;

describe.skipIf(botApiSchema.missing)('files on Telegram', () => {
  let world: AdapterWorld;
  beforeEach(async () => {
    world = await openAdapter();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  function fetch(media: Partial<IncomingMedia> = {}, maxBytes = 50 * megabyte) {
    const file = {
      place,
      messageId: '1',
      media: { kind: 'document', reference: 'file-1', ...media } as const,
    };
    const { signal } = new AbortController();
    return world.adapter.media.fetch(file, { maxBytes, timeoutMs: 5_000 }, signal);
  }

  test('a file is fetched by its id', async () => {
    world.fake.addFile('file-1', Buffer.from('hello'), { filePath: 'documents/file_1.txt' });

    expect(world.adapter.media.account).toEqual(world.adapter.listener.account);
    expect(await fetch({ bytes: 5 })).toEqual({ kind: 'fetched', bytes: Buffer.from('hello') });
    expect(world.fake.requestsTo('getFile').map(({ params }) => params)).toEqual([{ file_id: 'file-1' }]);
  });

  test('one announced as larger than Telegram gives is not asked for', async () => {
    expect(await fetch({ bytes: 20 * megabyte + 1 })).toEqual({
      kind: 'too_large',
      limitBytes: 20 * megabyte,
    });
    expect(await fetch({ bytes: 3_000_000_000 }, megabyte)).toEqual({
      kind: 'too_large',
      limitBytes: megabyte,
    });
    expect(world.fake.requests).toEqual([]);
  });

  test('one that turns out larger is too large all the same', async () => {
    world.fake.addFile('file-1', Buffer.from('x'), { size: 20 * megabyte + 1 });
    world.fake.addFile('file-2', Buffer.alloc(1_001));

    expect(await fetch()).toEqual({ kind: 'too_large', limitBytes: 20 * megabyte });
    expect(await fetch({ reference: 'file-2' }, 1_000)).toEqual({ kind: 'too_large', limitBytes: 1_000 });
  });

  test('a file that Telegram does not know is gone', async () => {
    expect(await fetch()).toEqual({ kind: 'gone', message: 'Bad Request: invalid file_id' });
  });

  test('a limit, a fault of the server and a lost answer are worth another try', async () => {
    world.fake.addFile('file-1', Buffer.from('hello'));
    const refusal = { error_code: 429, description: 'Too Many Requests: retry after 7' };
    world.fake.failNext('getFile', { ...refusal, parameters: { retry_after: 7 } });
    expect(await fetch()).toMatchObject({ kind: 'retry', waitMs: 7_000 });
    world.fake.answerRawNext('getFile', 502, '<html>');
    expect(await fetch()).toMatchObject({ kind: 'retry' });
    world.fake.dropAnswerNext('getFile');
    expect(await fetch()).toMatchObject({ kind: 'retry' });

    expect(await fetch()).toMatchObject({ kind: 'fetched' });
  });

  test.each([
    ['a path on the disk of a local server', '/var/lib/bot/file'],
    ['a way up', 'documents/../../secret'],
    ['another address', 'http://127.0.0.1/secret'],
  ])('%s is not followed', async (_name, filePath) => {
    world.fake.addFile('file-1', Buffer.from('hello'), { filePath });

    expect(await fetch()).toEqual({ kind: 'gone', message: 'Telegram named no path for it' });
  });

  test('the address, which holds the token, is in no answer', async () => {
    world.fake.addFile('file-1', Buffer.from('hello'));
    await world.fake.close();

    expect(JSON.stringify(await fetch())).not.toContain(world.fake.token);
  });
});

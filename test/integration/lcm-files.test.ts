import { createHash } from 'node:crypto';
import type { LcmFileGrep, LcmNewFile } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lcmOf } from '../support/lcm.ts';
import { openStoreWorld, personRow, type StoreWorld, type TestSession } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

function fileOf(text: string, wish: Partial<LcmNewFile> = {}): LcmNewFile {
  return {
    payloadId: createHash('sha256').update(text).digest('hex'),
    name: 'notes.txt',
    mime: 'text/plain',
    lines: text.split('\n').length,
    tokens: 30_000,
    exploration: 'notes about animals',
    text,
    ...wish,
  };
}

async function sessionWithFiles(...files: LcmNewFile[]): Promise<TestSession & { ids: string[] }> {
  const session = await world.newSession();
  await lcmOf(world).write(session.lease, { files });
  return { ...session, ids: files.map(({ payloadId }) => `file_${payloadId.slice(0, 16)}`) };
}

function grep(session: TestSession, query: string, wish: Partial<LcmFileGrep> = {}) {
  const asked = { query, mode: 'full_text' as const, fileIds: [], limit: 50, ...wish };
  return lcmOf(world).grepFiles({ sessionId: session.sessionId }, asked);
}

test('the same content is stored once a session and keeps its first description', async () => {
  const session = await sessionWithFiles(fileOf('same'), fileOf('same', { name: 'again.txt' }));

  const rows = await world.query('SELECT name FROM lcm_files WHERE session_id = $1', [session.sessionId]);
  expect(rows).toEqual([{ name: 'notes.txt' }]);
});

test('a file is described with its bytes, lines and exploration; a payload nobody described is a file too', async () => {
  const session = await sessionWithFiles(fileOf('über\nzwei'));
  const bare = createHash('sha256').update('bare').digest('hex');
  await world.append(session.lease, [
    { ...personRow('see'), payloads: [{ id: bare, mime: 'text/csv', text: 'bare' }] },
  ]);
  const scope = { sessionId: session.sessionId };

  expect(await lcmOf(world).file(scope, session.ids[0]!)).toMatchObject({
    name: 'notes.txt',
    mime: 'text/plain',
    bytes: 10,
    lines: 2,
    tokens: 30_000,
    exploration: 'notes about animals',
  });
  expect(await lcmOf(world).file(scope, `file_${bare.slice(0, 16)}`)).toMatchObject({
    name: `file_${bare.slice(0, 16)}`,
    mime: 'text/csv',
    lines: null,
    exploration: null,
  });
});

test('A37 a file of a foreign conversation, an unknown and a malformed id have the same answer', async () => {
  const session = await sessionWithFiles(fileOf('mine'));
  const other = await world.newSession();
  const lcm = lcmOf(world);

  expect(await lcm.file({ sessionId: other.sessionId }, session.ids[0]!)).toBeNull();
  expect(await lcm.file({ sessionId: session.sessionId }, 'file_0000000000000000')).toBeNull();
  expect(await lcm.file({ sessionId: session.sessionId }, "file_'; DROP\0")).toBeNull();
  const window = { kind: 'bytes', offset: 0, maxBytes: 10 } as const;
  expect(await lcm.readFile({ sessionId: other.sessionId }, session.ids[0]!, window)).toBeNull();
});

test('A40 hits name line and UTF-8 byte of the line; all words must stand in it', async () => {
  const session = await sessionWithFiles(fileOf('äöü first\n東京 second Wombat\nthird wombat here\n'));

  expect(await grep(session, 'wombat')).toEqual({
    kind: 'found',
    filesSearched: 1,
    filesSkipped: 0,
    hits: [
      {
        sessionId: session.sessionId,
        fileId: session.ids[0],
        name: 'notes.txt',
        line: 2,
        byteOffset: 13,
        snippet: '東京 second Wombat',
      },
      {
        sessionId: session.sessionId,
        fileId: session.ids[0],
        name: 'notes.txt',
        line: 3,
        byteOffset: 34,
        snippet: 'third wombat here',
      },
    ],
  });
  expect(await grep(session, 'wombat here')).toMatchObject({ hits: [{ line: 3 }] });
  expect(await grep(session, '100%_')).toMatchObject({ hits: [] });
});

test('A40 at most ten matches of a file, no binary types, unsafe expressions refused', async () => {
  const many = Array.from({ length: 30 }, (_, index) => `match ${index}`).join('\n');
  const session = await sessionWithFiles(
    fileOf(many),
    fileOf('match in an image', { mime: 'image/png', name: 'x.png' }),
    fileOf('{"match": 1}', { mime: 'application/json', name: 'x.json' }),
  );

  const found = await grep(session, String.raw`match"?:? \d`, { mode: 'regex' });
  expect(found).toMatchObject({ kind: 'found', filesSearched: 2, filesSkipped: 1 });
  expect(found.kind === 'found' ? found.hits.length : 0).toBe(11);
  expect(await grep(session, '(a+)+', { mode: 'regex' })).toEqual({
    kind: 'refused',
    reason: 'unsafe_regex',
  });
  expect(await grep(session, 'match', { limit: 3 })).toMatchObject({ hits: { length: 3 } });
  expect(await grep(session, 'match', { fileIds: [session.ids[2]!] })).toMatchObject({
    filesSearched: 1,
    hits: [{ name: 'x.json' }],
  });
});

test('A40 only the first 512,000 bytes are searched, and a character on the border harms nothing', async () => {
  const session = await sessionWithFiles(
    fileOf(`early match\n${'é'.repeat(256_000)}\nlate match`, { name: 'long.txt' }),
  );

  expect(await grep(session, 'match')).toMatchObject({ hits: [{ line: 1 }] });
});

test('A40 a window of bytes begins and ends with whole characters', async () => {
  const session = await sessionWithFiles(fileOf('a€b€c'));
  const read = (offset: number, maxBytes: number) =>
    lcmOf(world).readFile({ sessionId: session.sessionId }, session.ids[0]!, {
      kind: 'bytes',
      offset,
      maxBytes,
    });

  expect(await read(0, 3)).toMatchObject({ text: 'a', byteOffset: 0, isTruncated: true });
  expect(await read(0, 4)).toMatchObject({ text: 'a€', isTruncated: true });
  expect(await read(2, 3)).toMatchObject({ text: '€b', byteOffset: 1 });
  expect(await read(0, 100)).toMatchObject({ text: 'a€b€c', isTruncated: false });
  expect(await read(500, 10)).toMatchObject({ text: '', isTruncated: false });
});

test('A40 a window of lines is whole lines up to the byte limit', async () => {
  const session = await sessionWithFiles(fileOf('één\ntwee\ndrie\nvier'));
  const read = (startLine: number, endLine: number, maxBytes: number) =>
    lcmOf(world).readFile({ sessionId: session.sessionId }, session.ids[0]!, {
      kind: 'lines',
      startLine,
      endLine,
      maxBytes,
    });

  expect(await read(2, 3, 100)).toMatchObject({ text: 'twee\ndrie', byteOffset: 6, isTruncated: false });
  expect(await read(1, 4, 11)).toMatchObject({ text: 'één\ntwee', byteOffset: 0, isTruncated: true });
  expect(await read(1, 1, 2)).toMatchObject({ text: 'é', isTruncated: true });
  expect(await read(9, 12, 100)).toMatchObject({ text: '', isTruncated: false });
});

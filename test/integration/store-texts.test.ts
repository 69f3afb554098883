import { afterAll, beforeAll, expect, test } from 'vitest';
import { answer, answerRow, arrive, claimed, messageUpdate, nextTurn } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
let lastChat = 100;

/** A turn in a chat of its own whose one message has this text. */
async function turnWith(text: string) {
  const { store } = world;
  const chatId = String(++lastChat);
  const chat = { chatId, threadId: '', kind: 'direct' } as const;
  const sessionId = await arrive(store, messageUpdate(1, text, { chat, updateKey: `${chatId}-1` }));
  const lease = await claimed(store, sessionId);
  return { store, sessionId, lease, turn: await nextTurn(store, lease) };
}

const textOf = async (sessionId: string, index: number) => {
  const rows = await world.store.transcript.liveRows(sessionId);
  const part = rows[index]?.parts[0];
  return part?.type === 'text' ? part.text : null;
};

test('NUL goes away and a lone surrogate becomes U+FFFD, from a person and from a model', async () => {
  const { store, sessionId, lease, turn } = await turnWith('a\0b \ud83d c 🦉');

  await answer(store, lease, turn, 'x\0y \udc00');

  expect(await textOf(sessionId, 0)).toBe('ab \ufffd c 🦉');
  expect(await textOf(sessionId, 1)).toBe('xy \ufffd');
});

test('a message of 5 MB is stored whole and its end can be found', async () => {
  const text = `${'lorem ipsum dolor sit amet '.repeat(194_180)} zebrafish`;
  const { store, sessionId, lease, turn } = await turnWith(text);
  await answer(store, lease, turn, 'long');

  const stored = await textOf(sessionId, 0);
  const hits = await store.transcript.search({ sessionId }, 'zebrafish', {
    limit: 5,
    neighbours: 0,
    liveOfOwnSession: true,
  });

  expect(text.length).toBeGreaterThan(5_000_000);
  expect(stored === text).toBe(true);
  expect(hits.map((hit) => hit.row.seq)).toEqual([1024]);
});

test('texts, results and calls are indexed, headers are not', async () => {
  const { store, sessionId, lease, turn } = await turnWith('where is the galley?');
  await store.turns.storeRound({
    lease,
    turnId: turn.id,
    step: 1,
    rows: [
      {
        role: 'assistant',
        kind: 'assistant',
        parts: [
          { type: 'header', text: 'headerword' },
          { type: 'tool_call', id: 'c1', name: 'callword', arguments: '{"q":"argumentword"}' },
        ],
        tokens: 1,
      },
      {
        role: 'tool',
        kind: 'tool',
        parts: [{ type: 'tool_result', callId: 'c1', name: 'callword', text: 'resultword', isError: false }],
        tokens: 1,
      },
    ],
    usage: null,
  });
  const find = async (word: string) =>
    (await store.transcript.search({ sessionId }, word, { limit: 5, neighbours: 0, liveOfOwnSession: true }))
      .length;

  expect([await find('galley'), await find('resultword')]).toEqual([1, 1]);
  // Paths and queries often stand in a call alone.
  expect([await find('callword'), await find('argumentword')]).toEqual([1, 1]);
  expect(await find('headerword')).toBe(0);
});

test('a large content is kept beside the row, once, and read in slices of whole characters', async () => {
  const { store, sessionId, lease, turn } = await turnWith('read the file');
  const payload = { id: 'a'.repeat(64), mime: 'text/plain', text: 'äöü€🦉' };
  const row = {
    ...answerRow('here'),
    parts: [{ type: 'payload', payloadId: payload.id, mime: 'text/plain', bytes: 13, preview: 'äö…' }],
    payloads: [payload, payload],
  } as const;
  await store.turns.storeRound({ lease, turnId: turn.id, step: 1, rows: [row], usage: null });

  const read = (offset: number, maxBytes: number) =>
    store.transcript.payload(sessionId, payload.id, { offset, maxBytes });

  expect(await read(0, 100)).toEqual({ text: 'äöü€🦉', totalBytes: 13, nextOffset: 13 });
  expect(await read(0, 5)).toEqual({ text: 'äö', totalBytes: 13, nextOffset: 4 });
  expect(await read(6, 5)).toEqual({ text: '€', totalBytes: 13, nextOffset: 9 });
  expect(await read(7, 6)).toEqual({ text: '🦉', totalBytes: 13, nextOffset: 13 });
  expect(await store.transcript.payload(sessionId, 'b'.repeat(64), { offset: 0, maxBytes: 10 })).toBeNull();
});

test('headers carry no text and bodies give the named rows in order', async () => {
  const { store, sessionId, lease, turn } = await turnWith('one');
  await answer(store, lease, turn, 'two');

  const headers = await store.transcript.liveHeaders(sessionId);
  const [first, second] = headers;
  const bodies = await store.transcript.bodies(sessionId, [second?.id ?? 0, first?.id ?? 0, 999_999_999]);

  expect(headers.map((header) => [header.seq, header.role, header.tokens, 'parts' in header])).toEqual([
    [1024, 'user', 5, false],
    [2048, 'assistant', 7, false],
  ]);
  expect(bodies.map((row) => row.parts)).toEqual([
    [{ type: 'text', text: 'one' }],
    [{ type: 'text', text: 'two' }],
  ]);
});

test('pages tell live, archived and withdrawn rows apart; neighbours leave withdrawn ones out', async () => {
  const { store, sessionId, lease, turn } = await turnWith('row 1');
  const rows = ['row 2', 'row 3', 'row 4', 'row 5'].map(answerRow);
  await store.turns.storeRound({ lease, turnId: turn.id, step: 1, rows, usage: null });
  await world.sql(
    'UPDATE messages SET active = 0, compacted = 1, archived_by = 7 WHERE session_id = $1 AND seq = 1024',
    [sessionId],
  );
  await world.sql('UPDATE messages SET active = 0 WHERE session_id = $1 AND seq = 3072', [sessionId]);

  const page = await store.transcript.page(sessionId, { afterSeq: 0, limit: 4 });
  const archived = await store.transcript.page(sessionId, { afterSeq: 0, limit: 9, states: ['archived'] });
  const around = await store.transcript.around(sessionId, page[1]?.id ?? 0, 1);

  expect(page.map(({ seq, state, archivedBy }) => [seq, state, archivedBy])).toEqual([
    [1024, 'archived', 7],
    [2048, 'live', null],
    [3072, 'withdrawn', null],
    [4096, 'live', null],
  ]);
  expect(archived.map((row) => row.seq)).toEqual([1024]);
  expect(around.map((row) => row.seq)).toEqual([1024, 2048, 4096]);
});

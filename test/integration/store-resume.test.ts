/** /resume in the database: a chat changes its session while messages come in. */
import type { MailboxRow } from '@palimpsest/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  account,
  answer,
  arrive,
  claimed,
  commandUpdate,
  group,
  messageUpdate,
  nextTurn,
  policy,
} from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.sql('TRUNCATE sessions, chats, inbox, mailbox CASCADE'));

/** Two sessions of Ada's direct chat, both with something in them; the chat is in the second. */
async function twoSessions(): Promise<{ first: string; second: string; row: MailboxRow }> {
  const { store } = world;
  const first = await arrive(store, messageUpdate(1, 'first'));
  const lease = await claimed(store, first);
  const turn = await nextTurn(store, lease);
  await answer(store, lease, turn, 'one');
  const second = await store.turns.resetSession(lease, turn.chat, () => []);
  await store.turns.release(lease);
  const row: MailboxRow = {
    seq: 999,
    chat: turn.chat,
    content: { kind: 'operator', command: { name: 'resume', argument: '' } },
    acceptedAt: new Date(),
  };
  return { first, second, row };
}

test('what waits moves along in order, and the session that had ended is open again', async () => {
  const { store, sql } = world;
  const { first, second, row } = await twoSessions();
  await arrive(store, messageUpdate(2, 'two'), commandUpdate(3, 'undo'), messageUpdate(4, 'four'));
  const lease = await claimed(store, second);

  await store.turns.resumeSession(lease, { row, targetId: first, replies: [] });

  expect(
    await sql(`SELECT content->'message'->>'text' AS text, kind FROM mailbox
               WHERE session_id = '${first}' AND state = 'pending' ORDER BY seq`),
  ).toEqual([
    { text: 'two', kind: 'message' },
    { text: '/undo ', kind: 'command' },
    { text: 'four', kind: 'message' },
  ]);
  expect(await sql(`SELECT closed_at FROM sessions WHERE id = '${first}'`)).toEqual([{ closed_at: null }]);
  expect(await arrive(store, messageUpdate(5, 'five'))).toBe(first);
});

test('a chat that goes to and fro while messages come in loses none and doubles none', async () => {
  const { store, sql } = world;
  const { first, second, row } = await twoSessions();
  const arriving = Array.from({ length: 30 }, (_, n) => arrive(store, messageUpdate(n + 2, `text ${n + 2}`)));

  for (let round = 0; round < 6; round++) {
    const [from, targetId] = round % 2 === 0 ? [second, first] : [first, second];
    const lease = await claimed(store, from);
    await store.turns.resumeSession(lease, { row, targetId, replies: [] });
    await store.turns.release(lease);
  }
  await Promise.all(arriving);

  expect(
    await sql(`SELECT b.session_id = c.session_id AS here, count(*)::int AS messages, count(DISTINCT b.message_id)::int AS texts
               FROM mailbox b JOIN chats c ON c.id = b.chat_row_id WHERE b.state = 'pending' GROUP BY 1`),
  ).toEqual([{ here: true, messages: 30, texts: 30 }]);
});

test('a session of a group cannot be taken up, and then nothing is written', async () => {
  const { store, sql } = world;
  const { second, row } = await twoSessions();
  const inGroup = messageUpdate(9, 'hello', { chat: group });
  const [stored] = await store.intake.storeUpdates(policy({ account }), [inGroup]);
  const lease = await claimed(store, second);

  await expect(
    store.turns.resumeSession(lease, { row, targetId: stored!.sessionId!, replies: [] }),
  ).rejects.toThrow(/both must be of direct chats/);

  expect(await sql(`SELECT session_id FROM chats WHERE kind = 'direct'`)).toEqual([{ session_id: second }]);
  expect((await store.turns.conversations(second)).map(({ id }) => id)).not.toContain(stored!.sessionId);
});

test('conversations of other people are never listed', async () => {
  const { store } = world;
  const { first, second } = await twoSessions();
  const bob = { id: '43', name: 'Bob', isBot: false };
  const bobsChat = { chatId: '43', threadId: '', kind: 'direct' } as const;
  const [stored] = await store.intake.storeUpdates(policy(), [
    messageUpdate(9, 'my secret', { chat: bobsChat, sender: bob }),
  ]);

  const ofAda = (await store.turns.conversations(second)).map(({ id }) => id);

  expect(ofAda.toSorted()).toEqual([first, second].toSorted());
  expect((await store.turns.conversations(stored!.sessionId!)).map(({ id }) => id)).toEqual([
    stored!.sessionId,
  ]);
});

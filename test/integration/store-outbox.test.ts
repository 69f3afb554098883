import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStoreWorld, type StoreWorld, type TestSession } from '../support/store-world.ts';

let world: StoreWorld;
let accounts = 0;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** An account of its own for each test, with a chat and its session. */
async function newChat(account = `${(accounts += 1)}`): Promise<TestSession & { account: string }> {
  const session = await world.newSession({ account });
  return { ...session, account: `telegram-${account}` };
}

const dueTexts = async (account: string) => (await world.outbox.due(account, 10)).map((reply) => reply.text);
const waitOver = (replyId: number) =>
  world.query(`UPDATE outbox SET not_before = now() - interval '1 s' WHERE id = $1`, [replyId]);

async function replyState(replyId: number): Promise<unknown> {
  const [row] = await world.query(
    'SELECT state, attempts, problem, finished_at IS NOT NULL AS finished FROM outbox WHERE id = $1',
    [replyId],
  );
  return row;
}

test('of each chat only the oldest unfinished reply is due, oldest first', async () => {
  const one = await newChat('order');
  const other = await newChat('order');
  await world.addReply(one, 'one, first');
  await world.addReply(other, 'other, first');
  await world.addReply(one, 'one, second');

  expect(await dueTexts('telegram-order')).toEqual(['one, first', 'other, first']);
});

test('replies of another account are not due here', async () => {
  const chat = await newChat();
  await world.addReply(chat, 'mine');

  expect(await dueTexts('telegram-nobody')).toEqual([]);
});

test('a due reply says where it goes and has no parts before it was begun', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, 'hello');

  expect(await world.outbox.due(chat.account, 10)).toEqual([
    { id, sessionId: chat.sessionId, chat: chat.chat, kind: 'final', text: 'hello', attempts: 0, parts: [] },
  ]);
});

test('a reply that waits holds the later ones of its chat back, and time is told until it is due', async () => {
  const chat = await newChat();
  const first = await world.addReply(chat, 'first');
  await world.addReply(chat, 'second');
  await world.outbox.wait(first, { waitMs: 60_000, gate: 'reply' });

  expect(await dueTexts(chat.account)).toEqual([]);
  const waitMs = (await world.outbox.nextDueInMs(chat.account)) ?? 0;
  expect(waitMs > 50_000 && waitMs <= 60_000).toBe(true);
  await waitOver(first);
  expect(await dueTexts(chat.account)).toEqual(['first']);
  expect(await world.outbox.nextDueInMs(chat.account)).toBe(0);
});

test('a gate of the chat holds this chat back and no other, and costs no attempt', async () => {
  const one = await newChat('gate');
  const other = await newChat('gate');
  const first = await world.addReply(one, 'gated');
  await world.addReply(other, 'free');
  await world.outbox.wait(first, { waitMs: 60_000, gate: 'chat' });

  expect(await dueTexts('telegram-gate')).toEqual(['free']);
  expect(await replyState(first)).toEqual({ state: 'pending', attempts: 0, problem: null, finished: false });
});

test('a gate of the account holds all its chats back', async () => {
  const one = await newChat('flood');
  const other = await newChat('flood');
  const first = await world.addReply(one, 'gated');
  await world.addReply(other, 'gated too');
  await world.outbox.wait(first, { waitMs: 60_000, gate: 'account' });

  expect(await dueTexts('telegram-flood')).toEqual([]);
});

test('a shorter gate never opens a longer one', async () => {
  const chat = await newChat();
  const first = await world.addReply(chat, 'gated');
  await world.outbox.wait(first, { waitMs: 60_000, gate: 'chat' });
  await world.outbox.wait(first, { waitMs: 0, gate: 'chat' });

  expect(await dueTexts(chat.account)).toEqual([]);
});

test('an account without waiting replies has no next time', async () => {
  expect(await world.outbox.nextDueInMs('telegram-empty')).toBeNull();
});

test('the split is stored once, in order, with a nonce of its own for each part', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, 'ab');
  const parts = await world.outbox.begin(id, [{ text: 'a' }, { text: 'b' }]);
  const again = await world.outbox.begin(id, [{ text: 'other' }, { text: 'split' }, { text: 'now' }]);

  expect(parts.map(({ index, text, state, attempts }) => ({ index, text, state, attempts }))).toEqual([
    { index: 0, text: 'a', state: 'pending', attempts: 0 },
    { index: 1, text: 'b', state: 'pending', attempts: 0 },
  ]);
  expect(again).toEqual(parts);
  expect(parts.map((part) => part.nonce.length)).toEqual([20, 20]);
  expect(parts[0]?.nonce).not.toBe(parts[1]?.nonce);
});

test('the last receipt closes the reply and the next one of the chat is due', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, 'ab');
  await world.addReply(chat, 'next');
  const [a, b] = await world.outbox.begin(id, [{ text: 'a' }, { text: 'b' }]);
  await world.outbox.partSending(a!);
  await world.outbox.partSent(a?.id ?? 0, '501');
  const half = await dueTexts(chat.account);
  await world.outbox.partSending(b!);
  await world.outbox.partSent(b?.id ?? 0, '502');

  expect(half).toEqual(['ab']);
  expect(await dueTexts(chat.account)).toEqual(['next']);
  expect(await replyState(id)).toEqual({ state: 'sent', attempts: 0, problem: null, finished: true });
  const receipts = await world.query(
    'SELECT platform_message_id FROM outbox_parts WHERE reply_id = $1 ORDER BY position',
    [id],
  );
  expect(receipts).toEqual([{ platform_message_id: '501' }, { platform_message_id: '502' }]);
});

test('after a crash the reply goes on with the first part not sent; one on its way is still called sending', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, 'abc');
  const [a, b] = await world.outbox.begin(id, [{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
  await world.outbox.partSending(a!);
  await world.outbox.partSent(a?.id ?? 0, '501');
  await world.outbox.partSending(b!);

  const [reply] = await world.outbox.due(chat.account, 10);

  expect(reply?.parts.map((part) => [part.text, part.state, part.attempts])).toEqual([
    ['a', 'sent', 1],
    ['b', 'sending', 1],
    ['c', 'pending', 0],
  ]);
});

test('a part whose answer was lost counts as out, the reply goes on and ends unknown', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, 'ab');
  const [a, b] = await world.outbox.begin(id, [{ text: 'a' }, { text: 'b' }]);
  await world.outbox.partSending(a!);
  await world.outbox.partUnknown(a?.id ?? 0, false);
  const [reply] = await world.outbox.due(chat.account, 10);
  await world.outbox.partSending(b!);
  await world.outbox.partSent(b?.id ?? 0, '502');

  expect(reply?.parts.map((part) => part.state)).toEqual(['unknown', 'pending']);
  expect(await replyState(id)).toEqual({ state: 'unknown', attempts: 0, problem: null, finished: true });
});

test('a part whose answer was lost may be sent again with the same nonce', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, 'a');
  const [a] = await world.outbox.begin(id, [{ text: 'a' }]);
  await world.outbox.partSending(a!);
  await world.outbox.partUnknown(a?.id ?? 0, true);

  const [reply] = await world.outbox.due(chat.account, 10);

  expect(reply?.parts).toEqual([{ ...a, attempts: 1, mayBeOut: true }]);
});

test('a part that may have arrived stays known as such through a wait', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, 'a', 'final');
  const [part] = await world.outbox.begin(id, [{ text: 'a' }]);
  await world.outbox.partSending(part!);

  await world.outbox.wait(id, { waitMs: 0, gate: 'reply', partMayBeOut: true });

  const [reply] = await world.outbox.due(chat.account, 10);
  expect(reply?.parts).toMatchObject([{ state: 'sending', mayBeOut: true }]);
});

test('a refused part is pending again after a wait and the attempt is counted', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, 'a');
  const [a] = await world.outbox.begin(id, [{ text: 'a' }]);
  await world.outbox.partSending(a!);
  await world.outbox.wait(id, { waitMs: 1_000, gate: 'reply' });
  await waitOver(id);

  const [reply] = await world.outbox.due(chat.account, 10);

  expect([reply?.attempts, reply?.parts[0]?.state]).toEqual([1, 'pending']);
});

test('a dead reply lets the next one pass and says what was wrong', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, 'refused');
  await world.addReply(chat, 'next');
  await world.outbox.fail(id, 'dead', 'refused 8 times (400)');

  expect(await dueTexts(chat.account)).toEqual(['next']);
  expect(await replyState(id)).toEqual({
    state: 'dead',
    attempts: 0,
    problem: 'refused 8 times (400)',
    finished: true,
  });
});

test('nothing more is sent to a chat that cannot be reached', async () => {
  const chat = await newChat();
  await world.addReply(chat, 'one');
  await world.addReply(chat, 'two');
  await world.outbox.markUnreachable(chat.chat.chatRowId, 'blocked by the user (403)');

  expect(await dueTexts(chat.account)).toEqual([]);
  const [row] = await world.query('SELECT unreachable_problem FROM chats WHERE id = $1', [
    chat.chat.chatRowId,
  ]);
  expect(row).toEqual({ unreachable_problem: 'blocked by the user (403)' });
});

test('a group that became a supergroup gets its replies under the new id, the old id is its alias', async () => {
  const chat = await newChat();
  await world.addReply(chat, 'on its way');
  await world.outbox.moveChat(chat.chat.chatRowId, '-100200');

  const [reply] = await world.outbox.due(chat.account, 10);

  expect([reply?.chat.chatRowId, reply?.chat.place.chatId]).toEqual([chat.chat.chatRowId, '-100200']);
  const aliases = await world.query('SELECT chat_id, session_id FROM chats WHERE alias_of = $1', [
    chat.chat.chatRowId,
  ]);
  expect(aliases).toEqual([{ chat_id: chat.chat.place.chatId, session_id: null }]);
});

test('where the new id was seen before the move, its row takes the older session and the waiting replies over in order', async () => {
  const old = await newChat();
  const known = await world.newSession({ account: old.chat.account.id, chatId: '-100300' });
  await world.addReply(old, 'older');
  await world.addReply(known, 'newer');
  await world.outbox.moveChat(old.chat.chatRowId, '-100300');

  const due = await world.outbox.due(old.account, 10);

  expect(due.map((reply) => [reply.text, reply.chat.place.chatId])).toEqual([['older', '-100300']]);
  const [row] = await world.query('SELECT session_id FROM chats WHERE id = $1', [known.chat.chatRowId]);
  expect(row).toEqual({ session_id: old.sessionId });
});

test('a chat is busy while a turn runs under a lease that is alive', async () => {
  const chat = await newChat();
  await world.query(
    `INSERT INTO turns (session_id, id, chat_row_id, first_mailbox_seq, last_mailbox_seq, epoch) VALUES ($1, 't', $2, 1, 1, 1)`,
    [chat.sessionId, chat.chat.chatRowId],
  );
  const busy = await world.outbox.busyChats(chat.account);
  await world.expire(chat.sessionId);
  const abandoned = await world.outbox.busyChats(chat.account);

  expect(busy.map((target) => target.place.chatId)).toEqual([chat.chat.place.chatId]);
  expect(abandoned).toEqual([]);
});

test('an unknown reply or part is told so', async () => {
  await expect(world.outbox.begin(999_999, [{ text: 'a' }])).rejects.toMatchObject({ code: 'row_missing' });
  await expect(world.outbox.partSent(999_999, '1')).rejects.toMatchObject({ code: 'row_missing' });
});

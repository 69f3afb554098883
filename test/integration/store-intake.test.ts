import { createHash } from 'node:crypto';
import type { IncomingUpdate } from '@palimpsest/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  account,
  ada,
  arrive,
  commandUpdate,
  group,
  messageUpdate,
  policy,
  stranger,
} from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() =>
  world.sql('TRUNCATE sessions, chats, inbox, identities, people, access_grants, mailbox CASCADE'),
);

test('a message is kept as it arrived and waits in the mailbox of a new session', async () => {
  const results = await world.store.intake.storeUpdates(policy(), [messageUpdate(1, 'hello')]);

  expect(results).toMatchObject([{ updateKey: '1001', result: 'stored' }]);
  expect(results[0]?.sessionId).toMatch(/^\d{8}_\d{6}_[0-9a-f]{8}$/);
  const [inbox] = await world.sql('SELECT raw, status FROM inbox');
  expect(inbox).toEqual({ raw: Buffer.from('{"update_id":1001}'), status: 'stored' });
  const [mailbox] = await world.sql(
    `SELECT seq, kind, state, content->'message'->>'text' AS text FROM mailbox`,
  );
  expect(mailbox).toEqual({ seq: '1', kind: 'message', state: 'pending', text: 'hello' });
});

test('the same update, and the same message under another update key, are duplicates', async () => {
  await arrive(world.store, messageUpdate(1, 'hello'));

  const again = await world.store.intake.storeUpdates(policy(), [
    messageUpdate(1, 'hello'),
    messageUpdate(1, 'hello', { updateKey: 'by-webhook' }),
  ]);

  expect(again.map((result) => result.result)).toEqual(['duplicate', 'duplicate']);
  expect(await world.sql('SELECT seq FROM mailbox')).toEqual([{ seq: '1' }]);
});

test('a repeat inside one batch is stored once', async () => {
  const results = await world.store.intake.storeUpdates(policy(), [
    messageUpdate(1, 'hello'),
    messageUpdate(1, 'hello'),
  ]);

  expect(results.map((result) => result.result)).toEqual(['stored', 'duplicate']);
});

test('many first messages of one chat at once make one session and keep the order of each sender', async () => {
  const batch = (from: number) => [
    messageUpdate(from, `text ${from}`),
    messageUpdate(from + 1, `text ${from + 1}`),
  ];
  const starts = [1, 3, 5, 7, 9, 11, 13, 15];

  await Promise.all(starts.map((from) => world.store.intake.storeUpdates(policy(), batch(from))));

  expect(await world.sql('SELECT count(*)::int AS sessions FROM sessions')).toEqual([{ sessions: 1 }]);
  const rows = await world.sql(`SELECT message_id::int AS id FROM mailbox ORDER BY seq`);
  const order = rows.map((row) => Number(row.id));
  expect([...order].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  for (const from of starts) expect(order.indexOf(from + 1)).toBe(order.indexOf(from) + 1);
});

test('batches that name the same chats in opposite order do not lock each other out', async () => {
  const bob = { ...ada, id: '43', name: 'Bob' };
  const bobsChat = { chatId: '43', threadId: '', kind: 'direct' } as const;
  const rounds = Array.from({ length: 20 }, (_, round) => round * 10);

  await Promise.all(
    rounds.flatMap((base) => [
      world.store.intake.storeUpdates(policy(), [
        messageUpdate(base + 1, 'a'),
        messageUpdate(base + 2, 'b', { chat: bobsChat, sender: bob }),
      ]),
      world.store.intake.storeUpdates(policy(), [
        messageUpdate(base + 3, 'c', { chat: bobsChat, sender: bob }),
        messageUpdate(base + 4, 'd'),
      ]),
    ]),
  );

  expect(
    await world.sql('SELECT count(*)::int AS rows, max(seq)::int AS last FROM mailbox GROUP BY session_id'),
  ).toEqual([
    { rows: 40, last: 40 },
    { rows: 40, last: 40 },
  ]);
});

test('of a denied sender only key, ids and reason are kept', async () => {
  const results = await world.store.intake.storeUpdates(policy(), [
    messageUpdate(1, 'let me in', {
      sender: stranger,
      chat: { chatId: '666', threadId: '', kind: 'direct' },
    }),
  ]);

  expect(results).toEqual([{ updateKey: '1001', result: 'denied', reason: 'not_allowlisted' }]);
  const [row] = await world.sql('SELECT raw, status, reason, sender_id, chat_id, message_id FROM inbox');
  expect(row).toEqual({
    raw: null,
    status: 'denied',
    reason: 'not_allowlisted',
    sender_id: '666',
    chat_id: '666',
    message_id: '1',
  });
  expect(
    await world.sql('SELECT 1 FROM chats UNION ALL SELECT 1 FROM identities UNION ALL SELECT 1 FROM mailbox'),
  ).toEqual([]);
});

test('an operator lets somebody in, and a deny beats the lists', async () => {
  await world.store.operators.setAccess({ platform: 'telegram', kind: 'user', id: '666', access: 'allow' });
  await world.store.operators.setAccess({ platform: 'telegram', kind: 'user', id: '42', access: 'deny' });

  const results = await world.store.intake.storeUpdates(policy(), [
    messageUpdate(1, 'hello', { sender: stranger }),
    messageUpdate(2, 'hello'),
  ]);

  expect(results.map(({ result, reason }) => [result, reason])).toEqual([
    ['stored', undefined],
    ['denied', 'denied_by_operator'],
  ]);
});

test('a group message that is not for the bot is ignored and its text is not kept', async () => {
  const results = await world.store.intake.storeUpdates(policy(), [
    messageUpdate(1, 'lunch?', { chat: group, addressed: false }),
    messageUpdate(2, '@bot hello', { chat: group }),
  ]);

  expect(results.map(({ result, reason }) => [result, reason])).toEqual([
    ['ignored', 'not_addressed'],
    ['stored', undefined],
  ]);
  expect(await world.sql('SELECT message_id, raw IS NULL AS empty FROM inbox ORDER BY id')).toEqual([
    { message_id: '1', empty: true },
    { message_id: '2', empty: false },
  ]);
});

test('an update the adapter cannot read is kept raw and blocks nothing', async () => {
  const broken: IncomingUpdate = {
    updateKey: '7',
    raw: Buffer.from([0xff, 0x00, 0x01]),
    content: { kind: 'unparsed', problem: 'no message in it' },
  };

  const results = await world.store.intake.storeUpdates(policy(), [
    messageUpdate(1, 'a'),
    broken,
    messageUpdate(2, 'b'),
  ]);

  expect(results.map((result) => result.result)).toEqual(['stored', 'unparsed', 'stored']);
  expect(await world.sql(`SELECT raw, reason FROM inbox WHERE status = 'unparsed'`)).toEqual([
    { raw: Buffer.from([0xff, 0x00, 0x01]), reason: 'no message in it' },
  ]);
});

test('an update that the database refuses is kept raw while its neighbours are stored', async () => {
  // An index entry of Postgres has room for 2,700 bytes; these 12,800 cannot be compressed that far.
  const chatId = Array.from({ length: 200 }, (_, n) =>
    createHash('sha256').update(String(n)).digest('hex'),
  ).join('');
  const poison = messageUpdate(2, 'b', { chat: { chatId, threadId: '', kind: 'direct' } });

  const results = await world.store.intake.storeUpdates(policy(), [
    messageUpdate(1, 'a'),
    poison,
    messageUpdate(3, 'c'),
  ]);

  expect(results.map(({ result, reason }) => [result, reason])).toEqual([
    ['stored', undefined],
    ['unparsed', 'poison'],
    ['stored', undefined],
  ]);
  expect(await world.sql('SELECT seq, message_id FROM mailbox ORDER BY seq')).toEqual([
    { seq: '1', message_id: '1' },
    { seq: '2', message_id: '3' },
  ]);
});

test('an update with a monstrous key is stored once', async () => {
  const updateKey = Array.from({ length: 200 }, (_, n) =>
    createHash('sha256').update(`key ${n}`).digest('hex'),
  ).join('');

  const first = await world.store.intake.storeUpdates(policy(), [messageUpdate(1, 'a', { updateKey })]);
  const again = await world.store.intake.storeUpdates(policy(), [messageUpdate(1, 'a', { updateKey })]);

  expect([first[0]?.result, again[0]?.result]).toEqual(['stored', 'duplicate']);
});

test('/stop and /status become signals, another command a mailbox row', async () => {
  const sessionId = await arrive(
    world.store,
    messageUpdate(1, 'hello'),
    commandUpdate(2, 'stop'),
    commandUpdate(3, 'status'),
    commandUpdate(4, 'compress', 'keep the plan'),
  );

  expect(await world.sql('SELECT session_id, kind FROM signals ORDER BY id')).toEqual([
    { session_id: sessionId, kind: 'stop' },
    { session_id: sessionId, kind: 'status' },
  ]);
  expect(
    await world.sql(`SELECT seq, kind, content->'command' AS command FROM mailbox ORDER BY seq`),
  ).toEqual([
    { seq: '1', kind: 'message', command: null },
    { seq: '2', kind: 'command', command: { name: 'compress', argument: 'keep the plan' } },
  ]);
});

test('a sender who is let in becomes a person, and a new name is noted', async () => {
  await arrive(world.store, messageUpdate(1, 'hello'));
  await arrive(world.store, messageUpdate(2, 'hello again', { sender: { ...ada, name: 'Ada L.' } }));

  expect(await world.sql('SELECT user_id, name, language FROM identities')).toEqual([
    { user_id: '42', name: 'Ada L.', language: 'en' },
  ]);
  expect(await world.sql('SELECT count(*)::int AS people FROM people')).toEqual([{ people: 1 }]);
});

test('backfill goes on after the highest message seen, refused ones included', async () => {
  await world.store.intake.storeUpdates(policy(), [
    messageUpdate(99, '@bot hello', { chat: group }),
    messageUpdate(101, 'not for you', { chat: group, addressed: false }),
    messageUpdate(100, 'late', { chat: group }),
  ]);

  expect(await world.store.intake.backfillPoints(account)).toEqual([
    { chatId: '-1001', threadId: '', lastMessageId: '101' },
  ]);
});

test('a group that became a supergroup goes on in its session, under both ids', async () => {
  const before = await arrive(world.store, messageUpdate(1, '@bot one', { chat: group }));
  const moved: IncomingUpdate = {
    updateKey: '50',
    raw: Buffer.from('{}'),
    content: { kind: 'chat_migrated', fromChatId: '-1001', toChatId: '-2002' },
  };

  await world.store.intake.storeUpdates(policy(), [moved]);
  const underNew = await arrive(
    world.store,
    messageUpdate(1, '@bot two', { updateKey: '51', chat: { ...group, chatId: '-2002' } }),
  );
  const underOld = await arrive(
    world.store,
    messageUpdate(2, '@bot three', { updateKey: '52', chat: group }),
  );

  expect([underNew, underOld]).toEqual([before, before]);
  expect(
    await world.sql('SELECT DISTINCT c.chat_id FROM mailbox m JOIN chats c ON c.id = m.chat_row_id'),
  ).toEqual([{ chat_id: '-2002' }]);
});

test('a new session writes its start event once', async () => {
  const sessionId = await arrive(world.store, messageUpdate(1, 'a'), messageUpdate(2, 'b'));

  expect(await world.sql('SELECT session_id, type FROM events')).toEqual([
    { session_id: sessionId, type: 'session:start' },
  ]);
});

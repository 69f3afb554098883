import type { GatewayError, MailboxRow } from '@palimpsest/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  answer,
  arrive,
  claimed,
  commandUpdate,
  editUpdate,
  group,
  listsOfAll,
  messageUpdate,
  next,
  nextTurn,
  policy,
  render,
} from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.sql('TRUNCATE sessions, chats, inbox, mailbox, access_grants CASCADE'));

const liveTexts = async (sessionId: string) => {
  const rows = await world.store.transcript.liveRows(sessionId);
  return rows.map((row) => row.parts.map((part) => (part.type === 'text' ? part.text : part.type)).join());
};

test('commands are taken one by one, between the messages around them', async () => {
  const { store } = world;
  const sessionId = await arrive(
    store,
    messageUpdate(1, 'a'),
    commandUpdate(2, 'compress'),
    messageUpdate(3, 'b'),
  );
  const lease = await claimed(store, sessionId);

  const first = await nextTurn(store, lease);
  await answer(store, lease, first, 'one');
  const command = await next(store, lease);
  if (command.kind !== 'command') throw new Error(command.kind);
  await store.turns.finishCommand(lease, command.row, {
    replies: [{ key: 'command-2', chat: command.row.chat, kind: 'notice', text: 'compressed' }],
  });
  const second = await nextTurn(store, lease);

  expect(first.mailbox.map((row) => row.seq)).toEqual([1]);
  expect(command.row.content).toMatchObject({ kind: 'command', command: { name: 'compress', argument: '' } });
  expect(second.mailbox.map((row) => row.seq)).toEqual([3]);
  expect(await world.sql('SELECT text FROM outbox ORDER BY id')).toEqual([
    { text: 'one' },
    { text: 'compressed' },
  ]);
});

test('a command that its worker did not survive is taken again, and after three times it is poison', async () => {
  const { store } = world;
  const lease = await claimed(store, await arrive(store, commandUpdate(1, 'compress')));

  const kinds = [];
  for (let attempt = 1; attempt <= 4; attempt++) kinds.push((await next(store, lease)).kind);
  const poison = await next(store, lease);
  if (poison.kind !== 'poison') throw new Error(poison.kind);
  await store.turns.buryTurn(lease, poison.turn, []);

  expect(kinds).toEqual(['command', 'command', 'command', 'poison']);
  expect(await next(store, lease)).toEqual({ kind: 'none' });
  expect(await world.sql('SELECT state FROM mailbox')).toEqual([{ state: 'dead' }]);
});

test('a message that cannot be rendered is given up and its neighbours are answered', async () => {
  const { store } = world;
  const sessionId = await arrive(
    store,
    messageUpdate(1, 'good'),
    messageUpdate(2, 'bad'),
    messageUpdate(3, 'good too'),
  );
  const lease = await claimed(store, sessionId);
  const picky = (row: MailboxRow) => {
    if (row.content.kind === 'message' && row.content.message.text === 'bad')
      throw new Error('cannot render this');
    return render(row);
  };

  const outcomes: string[] = [];
  for (let round = 0; round < 6; round++) {
    const work = await store.turns
      .nextWork(lease, {
        maxTexts: 20,
        maxCharacters: 100_000,
        maxAttempts: 3,
        collect: true,
        lists: listsOfAll(),
        render: picky,
      })
      .catch((error: unknown) => ({ kind: (error as GatewayError).code }));
    outcomes.push(work.kind);
    if (work.kind === 'turn' && 'turn' in work) await answer(store, lease, work.turn, 'ok');
    if (work.kind === 'poison' && 'turn' in work) await store.turns.buryTurn(lease, work.turn, []);
  }

  expect(outcomes).toEqual(['internal', 'turn', 'internal', 'internal', 'poison', 'turn']);
  expect(await world.sql('SELECT seq::int, state FROM mailbox ORDER BY seq')).toEqual([
    { seq: 1, state: 'done' },
    { seq: 2, state: 'dead' },
    { seq: 3, state: 'done' },
  ]);
});

test('a piece that may be followed by more holds the pieces of its text together', async () => {
  const { store } = world;
  const lease = await claimed(
    store,
    await arrive(store, messageUpdate(1, 'first half', { series: 'text' }), messageUpdate(2, 'second half')),
  );

  const early = await next(store, lease);
  await world.sql(`UPDATE mailbox SET not_before = now()`);
  const turn = await nextTurn(store, lease);

  if (early.kind !== 'later') throw new Error(early.kind);
  expect(early.waitMs).toBeGreaterThan(50_000);
  expect(early.waitMs).toBeLessThanOrEqual(60_000);
  expect(turn.mailbox.map((row) => row.seq)).toEqual([1, 2]);
});

test('at most so many texts become one input', async () => {
  const { store } = world;
  const updates = Array.from({ length: 25 }, (_, n) => messageUpdate(n + 1, `text ${n + 1}`));
  const lease = await claimed(store, await arrive(store, ...updates));

  const first = await nextTurn(store, lease);
  await answer(store, lease, first, 'one');
  const second = await nextTurn(store, lease);

  expect([first.mailbox.length, second.mailbox.length]).toEqual([20, 5]);
});

test('an edit replaces the text that still waits', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'helo'));
  await arrive(store, editUpdate(501, 1, 'hello'));
  const lease = await claimed(store, sessionId);

  await nextTurn(store, lease);

  expect(await liveTexts(sessionId)).toEqual(['hello']);
});

test('an edit of what was read starts no turn and rides along with the next message', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'at 5'));
  const lease = await claimed(store, sessionId);
  await answer(store, lease, await nextTurn(store, lease), 'ok');
  await arrive(store, editUpdate(501, 1, 'at 6'));

  const alone = await next(store, lease);
  await arrive(store, messageUpdate(2, 'thanks'));
  const turn = await nextTurn(store, lease);

  expect(alone).toEqual({ kind: 'none' });
  expect(turn.mailbox.map((row) => row.content.kind)).toEqual(['edit', 'message']);
  expect(await liveTexts(sessionId)).toEqual(['at 5', 'ok', 'edited: at 6', 'thanks']);
});

test('an edit of a command or of an unknown message is nothing', async () => {
  const { store } = world;
  await arrive(store, commandUpdate(1, 'compress'));

  const results = await store.intake.storeUpdates(policy(), [
    editUpdate(501, 1, '/new'),
    editUpdate(502, 77, 'what?'),
  ]);

  expect(results.map(({ result, reason }) => [result, reason])).toEqual([
    ['ignored', 'not_addressed'],
    ['ignored', 'not_addressed'],
  ]);
  expect(await world.sql('SELECT kind FROM mailbox')).toEqual([{ kind: 'command' }]);
});

test('signals are taken once, oldest first', async () => {
  const { store } = world;
  const lease = await claimed(
    store,
    await arrive(store, messageUpdate(1, 'a'), commandUpdate(2, 'status'), commandUpdate(3, 'stop')),
  );

  const taken = await store.turns.takeSignals(lease);

  expect(taken.map((signal) => signal.kind)).toEqual(['status', 'stop']);
  expect(taken[0]?.chat.place).toEqual({ chatId: '42', threadId: '', kind: 'direct', title: undefined });
  expect(await store.turns.takeSignals(lease)).toEqual([]);
});

test('/new takes back what waits before it and says how much', async () => {
  const { store } = world;
  const lease = await claimed(
    store,
    await arrive(
      store,
      messageUpdate(1, 'a'),
      messageUpdate(2, 'b'),
      commandUpdate(3, 'new'),
      messageUpdate(4, 'c'),
    ),
  );

  expect(await store.turns.withdrawPending(lease, 3)).toBe(2);
  expect(await world.sql('SELECT seq::int, state FROM mailbox ORDER BY seq')).toEqual([
    { seq: 1, state: 'withdrawn' },
    { seq: 2, state: 'withdrawn' },
    { seq: 3, state: 'pending' },
    { seq: 4, state: 'pending' },
  ]);
});

test('a right that was taken away after intake is gone before the turn', async () => {
  const { store } = world;
  const bob = { id: '43', name: 'Bob', isBot: false };
  const sessionId = await arrive(
    store,
    messageUpdate(1, '@bot a', { chat: group }),
    messageUpdate(2, '@bot b', { chat: group, sender: bob }),
  );
  await store.operators.setAccess({ platform: 'telegram', kind: 'user', id: '43', access: 'deny' });
  const lease = await claimed(store, sessionId);

  const turn = await nextTurn(store, lease);

  expect(turn.mailbox.map((row) => row.seq)).toEqual([1]);
  expect(await world.sql(`SELECT state, reason FROM mailbox WHERE seq = 2`)).toEqual([
    { state: 'withdrawn', reason: 'denied_by_operator' },
  ]);
});

test('/reset closes the session and moves what waits to a new one', async () => {
  const { store } = world;
  const sessionId = await arrive(store, commandUpdate(1, 'reset'), messageUpdate(2, 'fresh start'));
  const lease = await claimed(store, sessionId);
  expect((await store.turns.takeSignals(lease)).map(({ kind }) => kind)).toEqual(['make_way']);
  const command = await next(store, lease);
  if (command.kind !== 'command') throw new Error(command.kind);

  const newId = await store.turns.resetSession(lease, command.row.chat, (id) => [
    { key: 'reset', chat: command.row.chat, kind: 'notice', text: `new session ${id.length}` },
  ]);
  const repeated = await store.turns.resetSession(lease, command.row.chat, () => []);
  const turn = await nextTurn(store, await claimed(store, newId));
  const later = await arrive(store, messageUpdate(3, 'and more'));

  expect(newId).not.toBe(sessionId);
  expect(repeated).toBe(newId);
  expect(turn.mailbox.map((row) => row.seq)).toEqual([2]);
  expect(later).toBe(newId);
  expect(await next(store, lease)).toEqual({ kind: 'none' });
  expect(await world.sql('SELECT text FROM outbox')).toEqual([{ text: 'new session 24' }]);
  expect(
    await world.sql(`SELECT payload->>'oldSessionId' AS old FROM events WHERE type = 'session:reset'`),
  ).toEqual([{ old: sessionId }]);
});

test('resets and messages at once lose nothing and lock nobody out', async () => {
  const { store } = world;
  let current = await arrive(store, messageUpdate(1, 'text 1'));
  const arriving = Array.from({ length: 30 }, (_, n) => arrive(store, messageUpdate(n + 2, `text ${n + 2}`)));
  for (let round = 0; round < 5; round++) {
    const result = await store.turns.claim(current, 'worker-1', 60_000);
    if (result.kind !== 'claimed') throw new Error(result.kind);
    const [chat] = await world.sql('SELECT id::int AS id FROM chats');
    const target = { chatRowId: Number(chat?.id), account: policy().account, place: group };
    current = await store.turns.resetSession(result.lease, target, () => []);
  }
  await Promise.all(arriving);

  expect(
    await world.sql(
      `SELECT session_id, count(*)::int AS rows, count(DISTINCT seq)::int AS seqs FROM mailbox GROUP BY 1`,
    ),
  ).toEqual([{ session_id: current, rows: 31, seqs: 31 }]);
});

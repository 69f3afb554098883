import { PlanOutdated, type Rotated } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntakeStore } from '../../packages/store/src/intake/intake-store.ts';
import { applyPlan, sessionWith, type FilledSession } from '../support/compacted-sessions.ts';
import { messageUpdate, policy } from '../support/intake.ts';
import { makePlan, openCompaction, planRow, someFigures, summaryPlan } from '../support/plans.ts';
import { assistantRow, openStoreWorld, personRow, textsOf, type StoreWorld } from '../support/store-world.ts';
import { undoOf } from '../support/undo.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function rotate(
  session: FilledSession,
  plan = summaryPlan(session.ids.slice(1, 3), 'a summary', { systemNote: 'the note' }),
): Promise<Rotated & { compactionId: number }> {
  const compactionId = await openCompaction(world.compactions, session.sessionId);
  return { ...(await world.compactions.rotate(session.lease, compactionId, plan, [])), compactionId };
}

test('the child begins with head, summary and tail; the kept rows name those they stand for', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four', 'five']);
  const { session: child } = await rotate(session);

  const live = await world.transcript.liveRows(child.id);

  expect(textsOf(live)).toEqual(['one', 'a summary', 'four', 'five']);
  expect(live.map((row) => row.seq)).toEqual([1024, 2048, 3072, 4096]);
  expect(live.map((row) => row.replaces)).toEqual([
    session.ids[0],
    undefined,
    session.ids[3],
    session.ids[4],
  ]);
  expect(live.map((row) => row.turnId)).toEqual([undefined, undefined, undefined, undefined]);
  expect(live[0]).toMatchObject({
    role: 'user',
    kind: 'person',
    sender: { id: '5', name: 'Ada' },
    tokens: 10,
  });
});

test('every row of the parent is archived as it was; each accepted line is one row that replaces none', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const { session: child, compactionId } = await rotate(session);

  const parent = await world.transcript.page(session.sessionId, { afterSeq: 0, limit: 10 });
  const all = [...parent, ...(await world.transcript.page(child.id, { afterSeq: 0, limit: 10 }))];

  expect(textsOf(parent)).toEqual(['one', 'two', 'three', 'four']);
  expect(parent.map((row) => [row.state, row.archivedBy])).toEqual(
    parent.map(() => ['archived', compactionId]),
  );
  expect(textsOf(all.filter((row) => row.replaces === undefined && row.kind !== 'summary'))).toEqual([
    'one',
    'two',
    'three',
    'four',
  ]);
});

test('a row that is changed on the way stands in the place of the one it replaces', async () => {
  const session = await sessionWith(world, ['one', 'a very long answer', 'three']);
  const plan = makePlan({
    archive: [session.ids[1]!],
    write: [planRow(assistantRow('[shortened]'), { kind: 'replaces', rowId: session.ids[1]! })],
  });
  const { session: child } = await rotate(session, plan);

  const live = await world.transcript.liveRows(child.id);

  expect(textsOf(live)).toEqual(['one', '[shortened]', 'three']);
  expect(live[1]!.replaces).toBe(session.ids[1]);
});

test('new rows go behind the copies, and the lease of the child is ours at once', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const { lease, session: child } = await rotate(session);
  await world.append(lease, [personRow('said since')]);

  const live = await world.transcript.liveRows(child.id);

  expect(textsOf(live)).toEqual(['one', 'a summary', 'four', 'said since']);
  expect(live.at(-1)!.seq).toBe(4096);
  await expect(world.take(child.id, 'worker-2')).rejects.toThrow('busy');
});

test('the child names its parent and is numbered; the parent has ended', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  await world.query(
    `UPDATE sessions SET title = 'Ferry', estimate_ratio = 1.3, system_prompt = 'be brief' WHERE id = $1`,
    [session.sessionId],
  );
  const first = await rotate(session);
  const ids = (await world.transcript.liveRows(first.session.id)).map((row) => row.id);
  const again = { ...session, sessionId: first.session.id, lease: first.lease, ids };
  const second = await rotate(again, summaryPlan(ids.slice(0, 2), 'a second summary'));

  expect(first.session).toMatchObject({
    title: 'Ferry #2',
    parentSessionId: session.sessionId,
    systemPrompt: 'be brief',
    systemNote: 'the note',
    lastPromptTokens: -1,
    estimateRatio: 1.3,
    compactionCount: 1,
  });
  expect(second.session).toMatchObject({
    title: 'Ferry #3',
    parentSessionId: first.session.id,
    compactionCount: 2,
  });
  const closed = await world.query(
    'SELECT closed_at IS NOT NULL AS closed FROM sessions WHERE id = ANY($1) ORDER BY 1',
    [[session.sessionId, first.session.id, second.session.id]],
  );
  expect(closed).toEqual([{ closed: false }, { closed: true }, { closed: true }]);
});

test('chats, waiting mail, signals and the running turn go along; what is over stays', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const { chatRowId } = session.chat;
  await world.query(
    `INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content, state)
     SELECT $1, n, $2, 'operator', '{}', (ARRAY['done', 'claimed', 'pending'])[n] FROM generate_series(1, 3) n`,
    [session.sessionId, chatRowId],
  );
  await world.query('UPDATE sessions SET next_mailbox_seq = 4 WHERE id = $1', [session.sessionId]);
  await world.query(`INSERT INTO signals (session_id, kind, chat_row_id) VALUES ($1, 'stop', $2)`, [
    session.sessionId,
    chatRowId,
  ]);
  await world.query(
    `INSERT INTO turns (session_id, id, chat_row_id, first_mailbox_seq, last_mailbox_seq, epoch, state)
     VALUES ($1, 't-over', $2, 1, 1, 1, 'answered'), ($1, 't-now', $2, 2, 2, 1, 'running')`,
    [session.sessionId, chatRowId],
  );
  const { session: child } = await rotate(session);
  const of = async (table: string, column: string) =>
    (
      await world.query(`SELECT ${column}::text AS it FROM ${table} WHERE session_id = $1 ORDER BY 1`, [
        child.id,
      ])
    ).map((row) => row['it']);

  expect(await of('chats', 'id')).toEqual([String(chatRowId)]);
  expect(await of('mailbox', 'seq')).toEqual(['2', '3']);
  expect(await of('signals', 'kind')).toEqual(['stop']);
  expect(await of('turns', 'id')).toEqual(['t-now']);
  const request = await world.operators.request(child.id, { name: 'compress', argument: '' });
  expect(request.seq).toBe(4);
});

test('S6 ledger row and event speak of the child and name the session that was left', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const { session: child, compactionId } = await rotate(session);

  const events = await world.query(`SELECT payload FROM events WHERE session_id = $1`, [child.id]);

  expect(events).toEqual([
    {
      payload: {
        type: 'session:compress',
        sessionId: child.id,
        oldSessionId: session.sessionId,
        inPlace: false,
        platform: 'telegram',
        engine: 'compressor',
        layer: 'agent',
        trigger: 'threshold',
        outcome: 'success',
        compactionId,
        compactionCount: 1,
        figures: someFigures,
      },
    },
  ]);
  expect(await world.compactions.ledger({ sessionId: child.id, limit: 5 })).toMatchObject([
    { id: compactionId, inPlace: false, oldSessionId: session.sessionId, summaryText: 'a summary' },
  ]);
  expect(await world.query('SELECT payload FROM events WHERE session_id = $1', [session.sessionId])).toEqual([
    {
      payload: {
        type: 'session:end',
        sessionId: session.sessionId,
        platform: 'telegram',
        reason: 'compression',
        nextSessionId: child.id,
      },
    },
  ]);
});

test('lines of the parent are found once from the child, and its payloads can be read', async () => {
  const session = await sessionWith(world, ['the quokka sleeps', 'two', 'three', 'the wombat digs']);
  const payloadId = 'ab'.repeat(32);
  await world.query(
    `INSERT INTO payloads (session_id, id, mime, bytes, content) VALUES ($1, $2, 'text/plain', 5, 'whole')`,
    [session.sessionId, payloadId],
  );
  const { session: child } = await rotate(session);
  const find = async (word: string) =>
    (
      await world.transcript.search({ sessionId: child.id }, word, {
        limit: 5,
        neighbours: 0,
        liveOfOwnSession: false,
      })
    ).map((hit) => [hit.sessionId, hit.state]);

  expect(await find('quokka')).toEqual([[session.sessionId, 'archived']]);
  expect(await find('wombat')).toEqual([[session.sessionId, 'archived']]);
  expect(await world.transcript.payload(child.id, payloadId, { offset: 0, maxBytes: 100 })).toMatchObject({
    text: 'whole',
  });
});

test('a rotation cannot be taken back', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const { session: child, lease, compactionId } = await rotate(session);

  await expect(undoOf(world, { ...session, sessionId: child.id, lease }, { compactionId })).rejects.toThrow(
    'cannot be taken back: it was a rotation',
  );
});

test('a plan over rows that are no longer live changes nothing: no child, no moved chat', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'first'));

  await expect(rotate(session)).rejects.toThrow(PlanOutdated);

  expect(textsOf(await world.transcript.liveRows(session.sessionId))).toEqual(['first', 'three', 'four']);
  expect(
    await world.query('SELECT id FROM sessions WHERE parent_session_id = $1', [session.sessionId]),
  ).toEqual([]);
  expect(await world.query('SELECT session_id FROM chats WHERE id = $1', [session.chat.chatRowId])).toEqual([
    { session_id: session.sessionId },
  ]);
});

test('messages that arrive while the conversation moves all wait in the child, in order', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const intake = createIntakeStore(world.db);
  const open = policy({
    account: session.chat.account,
    lists: { allowAll: true, allowedUsers: [], allowedChats: [] },
  });
  const arrive = async (): Promise<void> => {
    for (let id = 1; id <= 12; id += 1)
      await intake.storeUpdates(open, [messageUpdate(id, `said ${id}`, { chat: session.chat.place })]);
  };

  const [{ session: child }] = await Promise.all([rotate(session), arrive()]);

  const waiting = await world.query(
    `SELECT session_id, message_id::int FROM mailbox WHERE chat_row_id = $1 ORDER BY seq`,
    [session.chat.chatRowId],
  );
  expect(waiting).toEqual(
    Array.from({ length: 12 }, (_, index) => ({ session_id: child.id, message_id: index + 1 })),
  );
});

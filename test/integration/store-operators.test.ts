import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCompaction, summaryPlan } from '../support/plans.ts';
import { assistantRow, openStoreWorld, personRow, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

function deny(senderId: string, secondsAgo: number, reason = 'not_allowlisted') {
  return world.query(
    `INSERT INTO inbox (platform, account, update_key, status, reason, chat_id, sender_id, received_at)
     VALUES ('telegram', '77', gen_random_uuid()::text, 'denied', $3, 'c' || $1, $1, now() - $2 * interval '1 s')`,
    [senderId, secondsAgo, reason],
  );
}

test('a migrated database answers the ping', async () => {
  const { version, migrated } = await world.operators.ping();

  expect(migrated).toBe(true);
  expect(version).toMatch(/^\d+\.\d+/);
});

test('an overview counts live and archived rows, their tokens and what waits', async () => {
  const session = await world.newSession({ kind: 'group', chatId: '-1' });
  const rows = await world.append(session.lease, [personRow('one'), assistantRow('two'), personRow('three')]);
  const id = await openCompaction(world.compactions, session.sessionId);
  await world.compactions.apply(
    session.lease,
    id,
    summaryPlan(
      rows.slice(0, 2).map((row) => row.id),
      's',
    ),
    [],
  );
  await world.query(
    `INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content, state) VALUES
       ($1, 1, $2, 'message', '{}', 'done'), ($1, 2, $2, 'message', '{}', 'pending'), ($1, 3, $2, 'edit', '{}', 'pending')`,
    [session.sessionId, session.chat.chatRowId],
  );

  const overview = await world.operators.session(session.sessionId);

  expect(overview).toEqual({
    id: session.sessionId,
    title: null,
    platform: 'telegram',
    chatKind: 'group',
    chatId: session.chat.place.chatId,
    chatTitle: 'a place',
    engine: 'compressor',
    model: null,
    lastPromptTokens: -1,
    liveRows: 2,
    archivedRows: 2,
    liveTokens: 40,
    compactions: 1,
    pending: 1,
    running: false,
    lastActivityAt: overview?.lastActivityAt,
    endedAt: null,
    dollars: 0,
  });
});

test('a session whose place another one took says when it ended', async () => {
  const session = await world.newSession();
  await world.query(`UPDATE sessions SET closed_at = '2026-05-01T10:00:00Z' WHERE id = $1`, [
    session.sessionId,
  ]);

  const overview = await world.operators.session(session.sessionId);

  expect(overview?.endedAt).toEqual(new Date('2026-05-01T10:00:00Z'));
});

test('an unknown session has no overview', async () => {
  expect(await world.operators.session('nobody')).toBeNull();
});

test('a session runs while a turn of it runs under a living lease', async () => {
  const session = await world.newSession();
  await world.query(
    `INSERT INTO turns (session_id, id, chat_row_id, first_mailbox_seq, last_mailbox_seq, epoch) VALUES ($1, 't', $2, 1, 1, 1)`,
    [session.sessionId, session.chat.chatRowId],
  );
  const running = (await world.operators.session(session.sessionId))?.running;
  await world.expire(session.sessionId);

  expect([running, (await world.operators.session(session.sessionId))?.running]).toEqual([true, false]);
});

test('sessions come by activity or by context, in pages', async () => {
  const [a, b, c] = [await world.newSession(), await world.newSession(), await world.newSession()];
  const touch = (id: string, tokens: number, minutes: number) =>
    world.query(
      `UPDATE sessions SET last_prompt_tokens = $2, updated_at = now() + $3 * interval '1 min' WHERE id = $1`,
      [id, tokens, minutes],
    );
  await touch(a.sessionId, 900_000, 1);
  await touch(b.sessionId, 700_000, 3);
  await touch(c.sessionId, 800_000, 2);
  const page = async (order: 'activity' | 'context', limit: number, offset: number) =>
    (await world.operators.sessions({ order, limit, offset })).map((overview) => overview.id);

  expect(await page('activity', 3, 0)).toEqual([b.sessionId, c.sessionId, a.sessionId]);
  expect(await page('context', 3, 0)).toEqual([a.sessionId, c.sessionId, b.sessionId]);
  expect(await page('context', 2, 1)).toEqual([c.sessionId, b.sessionId]);
});

test('the newest word about a user or chat is the grant that counts, with the name last seen', async () => {
  await world.query(`WITH p AS (INSERT INTO people DEFAULT VALUES RETURNING id)
    INSERT INTO identities (platform, user_id, person_id, name) SELECT 'discord', '11', id, 'Ada' FROM p`);
  await world.operators.setAccess({ platform: 'discord', kind: 'user', id: '11', access: 'allow' });
  await world.operators.setAccess({ platform: 'discord', kind: 'chat', id: '22', access: 'allow' });
  await world.operators.setAccess({ platform: 'discord', kind: 'user', id: '11', access: 'deny' });

  const entries = await world.operators.access('discord');

  expect(entries).toMatchObject([
    { platform: 'discord', kind: 'user', id: '11', access: 'deny', name: 'Ada' },
    { platform: 'discord', kind: 'chat', id: '22', access: 'allow', name: null },
  ]);
  expect(await world.operators.grants('discord', '11', '22')).toEqual({ user: 'deny', chat: 'allow' });
  expect(await world.operators.grants('discord', '22', '11')).toEqual({ user: null, chat: null });
  expect(await world.operators.access('local')).toEqual([]);
});

test('refused senders are listed once with their count, the newest first', async () => {
  await deny('900', 30);
  await deny('901', 20);
  await deny('900', 10);

  const denied = await world.operators.denied(10);

  expect(denied).toMatchObject([
    { platform: 'telegram', senderId: '900', chatId: 'c900', reason: 'not_allowlisted', times: 2 },
    { platform: 'telegram', senderId: '901', chatId: 'c901', reason: 'not_allowlisted', times: 1 },
  ]);
  expect(await world.operators.denied(1)).toHaveLength(1);
});

test('figures count what is unfinished', async () => {
  await using fresh = await openStoreWorld();
  const session = await fresh.newSession();
  const [pending, unknown, dead] = [
    await fresh.addReply(session, 'a'),
    await fresh.addReply(session, 'b'),
    await fresh.addReply(session, 'c'),
  ];
  await fresh.query(`UPDATE outbox SET state = 'unknown' WHERE id = $1`, [unknown]);
  await fresh.outbox.fail(dead, 'dead', 'refused');
  await fresh.query(
    `INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content, accepted_at) VALUES ($1, 1, $2, 'message', '{}', now() - interval '90 s')`,
    [session.sessionId, session.chat.chatRowId],
  );

  const { oldestPendingSeconds, ...counts } = await fresh.operators.figures();

  expect(pending).toBeGreaterThan(0);
  expect(counts).toEqual({
    mailboxPending: 1,
    outboxPending: 1,
    outboxUnknown: 1,
    outboxDead: 1,
    turnsRunning: 0,
    turnsLeft: 0,
    sessions: 1,
  });
  expect(Math.floor(oldestPendingSeconds / 10)).toBe(9);
});

test('figures of an empty service are zero', async () => {
  await using fresh = await openStoreWorld();

  expect(await fresh.operators.figures()).toEqual({
    mailboxPending: 0,
    oldestPendingSeconds: 0,
    outboxPending: 0,
    outboxUnknown: 0,
    outboxDead: 0,
    turnsRunning: 0,
    turnsLeft: 0,
    sessions: 0,
  });
});

/** Erasing in the database: deletions of the platform, a person in a group, and crashes in the middle. */
import { beforeEach, expect, test } from 'vitest';
import {
  silentLogger,
  type CompactionPlan,
  type IncomingUpdate,
  type Lease,
  type Sender,
} from '@palimpsest/core';
import { openStore } from '@palimpsest/store';
import {
  ada,
  answer,
  arrive,
  claimed,
  editUpdate,
  group,
  messageUpdate,
  next,
  nextTurn,
  policy,
} from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';
import { someFigures } from '../support/plans.ts';

const secret = 'The vault stands behind heliotrope curtains.';
const nowhere = { texts: ['heliotrope'] };
const emptyPlan: CompactionPlan = {
  kind: 'plan',
  outcome: 'success',
  reason: 'none',
  archive: [],
  write: [],
  summaryModel: null,
  figures: someFigures,
};
const grace: Sender = { id: '43', name: 'Grace', isBot: false };

let db: TestStore;

beforeEach(async () => {
  db = await openTestStore();
  return () => db[Symbol.asyncDispose]();
});

const deletion = (key: string, chatId: string, ...messageIds: string[]): IncomingUpdate => ({
  updateKey: key,
  raw: Buffer.from(JSON.stringify({ ids: messageIds, channel_id: chatId })),
  content: { kind: 'deleted', chatId, messageIds },
});

const said = (update: IncomingUpdate, more: object = {}): IncomingUpdate => ({
  ...update,
  raw: Buffer.from(JSON.stringify({ ...update.content, ...more })),
});

/** Carry out the requests that wait, as the lease holder does. */
async function carryOut(lease: Lease): Promise<number> {
  for (let done = 0; ; done += 1) {
    const work = await next(db.store, lease);
    if (work.kind !== 'command' || work.row.content.kind !== 'operator') return done;
    const { argument } = work.row.content.command;
    const message = { chatRowId: work.row.chat.chatRowId, messageId: argument };
    await db.store.erase.message(lease, message, { row: work.row, answer: () => 'erased' });
  }
}

test('a message that is deleted while it waits is withdrawn at once and never read', async () => {
  const sessionId = await arrive(db.store, said(messageUpdate(1, secret)));

  const [stored] = await db.store.intake.storeUpdates(policy(), [deletion('d1', '42', '1')]);

  expect(stored).toEqual({ updateKey: 'd1', result: 'stored', sessionId });
  expect(await db.store.erase.traces(nowhere)).toEqual({});
  expect(await db.sql('SELECT state, reason FROM mailbox ORDER BY seq')).toEqual([
    { state: 'withdrawn', reason: 'deleted' },
    { state: 'pending', reason: null },
  ]);
  const lease = await claimed(db.store, sessionId);
  expect(await carryOut(lease)).toBe(1);
  expect(await next(db.store, lease)).toEqual({ kind: 'none' });
});

test('one that was read becomes a tombstone with its edits and answers that quote it; id and seq stay', async () => {
  const sessionId = await arrive(db.store, said(messageUpdate(1, secret)), messageUpdate(2, 'And another.'));
  const lease = await claimed(db.store, sessionId);
  await answer(db.store, lease, await nextTurn(db.store, lease), `You said: ${secret}`);
  const replyTo = { messageId: '1', text: secret, senderName: 'Ada' };
  await arrive(db.store, said(editUpdate(50, 1, 'The heliotrope curtains are open.')));
  await arrive(db.store, said(messageUpdate(3, 'What of it?', { replyTo })));
  await answer(db.store, lease, await nextTurn(db.store, lease), 'Nothing.');
  const before = await db.store.transcript.page(sessionId, { afterSeq: 0, limit: 20 });

  await db.store.intake.storeUpdates(policy(), [deletion('d1', '42', '1'), deletion('d1', '42', '1')]);
  expect(await carryOut(lease)).toBe(1);

  expect(await db.store.erase.traces(nowhere)).toEqual({});
  const rows = await db.store.transcript.page(sessionId, { afterSeq: 0, limit: 20 });
  expect(rows.map(({ id, seq, state }) => [id, seq, state])).toEqual(
    before.map(({ id, seq, state }) => [id, seq, state]),
  );
  expect(rows.map((row) => row.parts.map((part) => ('text' in part ? part.text : part.type)))).toEqual([
    ['[This message was erased.]'],
    ['And another.'],
    ['You said: [erased]'],
    ['[This message was erased.]'],
    ['What of it?'],
    ['Nothing.'],
  ]);
  expect(rows[0]!.sender).toBeUndefined();
});

test('a deletion of what nobody sent here, or in a chat nobody knows, asks nobody', async () => {
  await arrive(db.store, messageUpdate(1, 'Hello.'));

  const stored = await db.store.intake.storeUpdates(policy(), [
    deletion('d1', '42', '77'),
    deletion('d2', '999', '1'),
  ]);

  expect(stored.map(({ sessionId }) => sessionId)).toEqual([undefined, undefined]);
  expect(await db.sql(`SELECT 1 FROM mailbox WHERE kind = 'operator'`)).toEqual([]);
});

test('a person is erased in a group where others stay, and whoever holds its session is fenced off', async () => {
  const wish = { chat: group };
  const direct = await arrive(db.store, said(messageUpdate(9, 'My heliotrope diary.')));
  const inGroup = await arrive(
    db.store,
    said(messageUpdate(1, secret, wish)),
    said(messageUpdate(2, 'Good morning.', { ...wish, sender: grace })),
  );
  const lease = await claimed(db.store, inGroup);
  await answer(db.store, lease, await nextTurn(db.store, lease), `Her words were "${secret}"`);
  const replyTo = { messageId: '1', text: secret, senderName: 'Ada' };
  await arrive(db.store, said(messageUpdate(3, 'Really?', { ...wish, sender: grace, replyTo })));

  const counts = await db.store.erase.person({ platform: 'telegram', userId: ada.id });

  expect(counts).toEqual({ sessions: 2, messages: 1, quotes: 1, summaries: 0, payloads: 0, undone: 0 });
  expect(await db.store.erase.traces({ texts: ['heliotrope', 'Ada'], personIds: [1] })).toEqual({});
  expect(await db.sql(`SELECT name FROM identities`)).toEqual([{ name: 'Grace' }]);
  await expect(db.store.turns.patchSession(lease, { title: 'late' })).rejects.toMatchObject({
    code: 'lease_lost',
  });
  const rows = await db.store.transcript.page(inGroup, { afterSeq: 0, limit: 9 });
  expect(rows.map((row) => row.sender?.name)).toEqual([undefined, 'Grace', undefined]);
  const again = await claimed(db.store, inGroup);
  const turn = await nextTurn(db.store, again);
  expect(turn.mailbox.map((row) => row.content)).toMatchObject([{ message: { text: 'Really?' } }]);
  expect(await arrive(db.store, messageUpdate(10, 'I am back.'))).not.toBe(direct);
  await expect(db.store.erase.person({ platform: 'telegram', userId: '5' })).rejects.toMatchObject({
    code: 'row_missing',
  });
});

test('erasing leaves an event that tells how much and not what', async () => {
  const sessionId = await arrive(db.store, said(messageUpdate(1, secret)));
  const lease = await claimed(db.store, sessionId);
  await answer(db.store, lease, await nextTurn(db.store, lease), 'Noted.');

  await db.store.erase.session(sessionId);
  await db.store.erase.noteExport(sessionId);

  const events = await db.sql(`SELECT payload FROM events WHERE type LIKE 'session:e%' ORDER BY id`);
  expect(events.map((event) => event['payload'])).toEqual([
    {
      type: 'session:erase',
      sessionId,
      platform: 'telegram',
      scope: 'session',
      messages: 2,
      summaries: 0,
      revision: 3,
    },
    { type: 'session:export', sessionId, platform: 'telegram' },
  ]);
  expect(await db.store.erase.traces(nowhere)).toEqual({});
});

test('thrown at each statement, an erasure leaves all or nothing', async () => {
  const sessionId = await arrive(db.store, said(messageUpdate(1, secret)));
  const lease = await claimed(db.store, sessionId);
  await answer(db.store, lease, await nextTurn(db.store, lease), `You said: ${secret}`);
  const before = await dump();
  const chat = { chatRowId: Number((await db.sql('SELECT id FROM chats'))[0]!['id']), messageId: '1' };
  let statements = 0;
  let failAt = 0;
  await using frail = await openFrail(() => {
    statements += 1;
    if (statements === failAt) throw new Error('killed');
  });

  let crashes = 0;
  for (failAt = 1; ; failAt += 1, crashes += 1) {
    statements = 0;
    const done = await frail.store.erase.message(lease, chat).catch(() => null);
    if (done) break;
    expect(await dump()).toBe(before);
  }

  expect(crashes).toBeGreaterThan(20);
  expect(await db.store.erase.traces(nowhere)).toEqual({});
});

async function openFrail(onStatement: () => void) {
  const opening = { isOpen: false };
  const store = await openStore({
    databaseUrl: db.url,
    logger: silentLogger,
    poolSize: 1,
    onStatement: () => {
      if (opening.isOpen) onStatement();
    },
  });
  opening.isOpen = true;
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

async function dump(): Promise<string> {
  const tables = await db.sql(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
  );
  const contents: unknown[] = [];
  for (const { name } of tables)
    contents.push(name, await db.sql(`SELECT to_jsonb(t)::text AS row FROM "${String(name)}" t ORDER BY 1`));
  return JSON.stringify(contents);
}

/** A new table of sessions must be thought of: emptied, or named here. */
const kept = [
  'compactions',
  'events',
  'hook_deliveries',
  'inbox',
  'lcm_cache_telemetry',
  'mailbox',
  'messages',
  'operator_actions',
];

test('every table of sessions is emptied with one, or known to hold nothing a person said', async () => {
  const { emptied } = await import('../../packages/store/src/erase/wipe-sessions.ts');
  const tables = await db.sql(
    `SELECT DISTINCT table_name FROM information_schema.columns c JOIN pg_class k ON k.relname = c.table_name
     WHERE table_schema = 'public' AND column_name = 'session_id' AND NOT k.relispartition ORDER BY 1`,
  );

  const names = tables.map((row) => String(row['table_name']));
  const idsOnly = ['chats', 'chat_members', 'session_tools', 'usage_days'];
  const known: readonly string[] = [...emptied, ...kept, ...idsOnly];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

test('what a provider sealed or keeps on its side after an erased message goes, what came before stays', async () => {
  const sessionId = await arrive(db.store, messageUpdate(1, 'Good morning.'));
  const lease = await claimed(db.store, sessionId);
  await answer(db.store, lease, await nextTurn(db.store, lease), 'Good morning.');
  await arrive(db.store, said(messageUpdate(2, secret)));
  await answer(db.store, lease, await nextTurn(db.store, lease), 'Noted.');
  const sidecar = JSON.stringify([{ type: 'sidecar', issuer: 'x', item: { sealed: 'gAAAA' } }]);
  await db.sql(`UPDATE messages SET parts = parts || $1::jsonb WHERE role = 'assistant'`, [sidecar]);

  await db.store.intake.storeUpdates(policy(), [deletion('d1', '42', '2')]);
  await carryOut(lease);

  const rows = await db.store.transcript.liveRows(sessionId);
  expect(rows.map((row) => row.parts.map((part) => part.type))).toEqual([
    ['text'],
    ['text', 'sidecar'],
    ['text'],
    ['text'],
  ]);
});

test('a plan that was being made from the old rows is not kept', async () => {
  const sessionId = await arrive(db.store, said(messageUpdate(1, secret)));
  const lease = await claimed(db.store, sessionId);
  await answer(db.store, lease, await nextTurn(db.store, lease), 'Noted.');
  const { revision } = (await db.store.turns.session(sessionId))!;
  const chat = { chatRowId: Number((await db.sql('SELECT id FROM chats'))[0]!['id']), messageId: '1' };
  const keep = (asOf: number) =>
    db.store.compactions.savePrepared(sessionId, {
      plan: emptyPlan,
      engine: 'compressor',
      configHash: 'x',
      ttlMs: 60_000,
      revision: asOf,
    });

  await db.store.erase.message(lease, chat);
  await keep(revision);
  const late = await db.sql('SELECT id FROM prepared_compactions');
  await keep((await db.store.turns.session(sessionId))!.revision);

  expect(late).toEqual([]);
  expect(await db.sql('SELECT id FROM prepared_compactions')).toHaveLength(1);
});

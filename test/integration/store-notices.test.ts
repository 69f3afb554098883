import { silentLogger, type StoreNotice } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createNoticeStore } from '../../packages/store/src/notice-store.ts';
import { openCompaction, summaryPlan } from '../support/plans.ts';
import { openStoreWorld, personRow, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function listen() {
  const heard: StoreNotice[] = [];
  const subscription = await createNoticeStore(world.url, silentLogger).subscribe((notice) =>
    heard.push(notice),
  );
  return { heard, [Symbol.asyncDispose]: () => subscription.close() };
}

const say = (payload: string) => world.query('SELECT pg_notify($1, $2)', ['palimpsest', payload]);

test('a compaction, its reply and the reply that went out are heard', async () => {
  const session = await world.newSession();
  const rows = await world.append(session.lease, ['one', 'two', 'three'].map(personRow));
  await using listener = await listen();
  const { sessionId, chat } = session;
  const id = await openCompaction(world.compactions, sessionId);
  const reply = { key: 'condensed', chat, kind: 'notice', text: 'condensed' } as const;
  await world.compactions.apply(session.lease, id, summaryPlan([rows[0]?.id ?? 0], 's'), [reply]);
  const told = { kind: 'reply', chatRowId: chat.chatRowId, account: 'telegram-77' };
  // Notices go together with those of the next milliseconds, and Postgres sends equal ones of one statement once.
  await vi.waitFor(() => expect(listener.heard).toEqual([told, { kind: 'compaction', sessionId }]));
  const [due] = await world.outbox.due('telegram-77', 1);
  const [part] = await world.outbox.begin(due?.id ?? 0, [{ text: 'condensed' }]);
  await world.outbox.partSent(part?.id ?? 0, '1');

  await vi.waitFor(() => expect(listener.heard).toEqual([told, { kind: 'compaction', sessionId }, told]));
});

test('nothing is heard of a compaction that was rolled back', async () => {
  const session = await world.newSession();
  await world.append(session.lease, [personRow('one')]);
  await using listener = await listen();
  const id = await openCompaction(world.compactions, session.sessionId);
  await world.compactions.apply(session.lease, id, summaryPlan([999_999], 's'), []).catch(() => undefined);
  await say(JSON.stringify({ kind: 'signal', sessionId: 'after' }));

  await vi.waitFor(() => expect(listener.heard).toEqual([{ kind: 'signal', sessionId: 'after' }]));
});

test('a payload that is no notice is passed over', async () => {
  await using listener = await listen();
  await say('not json');
  await say('{"kind":"unheard of"}');
  await say('null');
  await say('{"kind":"mailbox","sessionId":"s"}');

  await vi.waitFor(() => expect(listener.heard).toEqual([{ kind: 'mailbox', sessionId: 's' }]));
});

test('a broken connection comes back by itself', async () => {
  await using listener = await listen();
  const backends = `FROM pg_stat_activity WHERE application_name = 'palimpsest notices' AND datname = current_database()`;
  const pid = async () =>
    (await world.query<{ pid: number }>(`SELECT pid ${backends} AND query LIKE 'LISTEN%'`))[0]?.pid;
  const before = await pid();
  await world.query(`SELECT pg_terminate_backend(pid) ${backends}`);
  await vi.waitFor(async () => expect([undefined, before]).not.toContain(await pid()), { timeout: 10_000 });
  await say('{"kind":"mailbox","sessionId":"back again"}');

  await vi.waitFor(() => expect(listener.heard).toEqual([{ kind: 'mailbox', sessionId: 'back again' }]));
});

test('a closed subscription leaves no connection behind', async () => {
  const listener = await listen();
  await listener[Symbol.asyncDispose]();

  await vi.waitFor(async () =>
    expect(
      await world.query(
        `SELECT 1 FROM pg_stat_activity WHERE application_name = 'palimpsest notices' AND datname = current_database()`,
      ),
    ).toEqual([]),
  );
});

test('an address where no database answers is refused at once with a plain error', async () => {
  const store = createNoticeStore('postgres://root@127.0.0.1:1/nowhere', silentLogger);

  await expect(store.subscribe(() => undefined)).rejects.toMatchObject({
    code: 'database_unavailable',
    retryable: true,
  });
});

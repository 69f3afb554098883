import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  answer,
  arrive,
  claimed,
  commandUpdate,
  editUpdate,
  messageUpdate,
  next,
  nextTurn,
} from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.sql('TRUNCATE sessions, chats, inbox, mailbox, leases CASCADE'));

const chatOf = (chatId: string) => ({ chatId, threadId: '', kind: 'direct' }) as const;
const expireAll = () => world.sql(`UPDATE sessions SET lease_until = now() - interval '1 second'`);

test('sessions with something due and nobody at it are found, oldest first', async () => {
  const { store, sql } = world;
  const young = await arrive(store, messageUpdate(1, 'a', { chat: chatOf('1') }));
  const old = await arrive(store, messageUpdate(2, 'b', { chat: chatOf('2') }));
  const growing = await arrive(store, messageUpdate(3, 'c', { chat: chatOf('3'), series: 'text' }));
  const held = await arrive(store, messageUpdate(4, 'd', { chat: chatOf('4') }));
  await sql(`UPDATE mailbox SET not_before = now() - interval '1 minute' WHERE session_id = $1`, [old]);
  await claimed(store, held);

  const found = await store.sweep.sessionsToWake(10);

  expect(found).toEqual([old, young]);
  expect(found).not.toContain(growing);
  expect(await store.sweep.sessionsToWake(1)).toEqual([old]);
});

test('turns and commands left by a dead holder are found', async () => {
  const { store } = world;
  const running = await arrive(store, messageUpdate(1, 'a', { chat: chatOf('1') }));
  await nextTurn(store, await claimed(store, running));
  const command = await arrive(store, { ...commandUpdate(2, 'compress'), updateKey: 'c' });
  await next(store, await claimed(store, command));
  await expireAll();

  const found = await store.sweep.sessionsToWake(10);

  expect([...found].sort()).toEqual([command, running].sort());
});

test('an edit that waits wakes nobody', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'a'));
  const lease = await claimed(store, sessionId);
  await answer(store, lease, await nextTurn(store, lease), 'b');
  await store.turns.release(lease);
  await arrive(store, editUpdate(501, 1, 'c'));

  expect(await store.sweep.sessionsToWake(10)).toEqual([]);
});

test('a signal wakes its session', async () => {
  const sessionId = await arrive(world.store, commandUpdate(1, 'status'));

  expect(await world.store.sweep.sessionsToWake(10)).toEqual([sessionId]);
});

test('a long mailbox of a busy session hides no other, and is one wake-up once nobody is at it', async () => {
  const { store } = world;
  const busy = await arrive(
    store,
    ...Array.from({ length: 60 }, (_, n) => messageUpdate(n + 1, 'a', { chat: chatOf('1') })),
  );
  await claimed(store, busy);
  const waiting = await arrive(store, messageUpdate(99, 'b', { chat: chatOf('2') }));

  expect(await store.sweep.sessionsToWake(1)).toEqual([waiting]);
  await expireAll();
  expect(await store.sweep.sessionsToWake(10)).toEqual([busy, waiting]);
});

test('accounts with due replies are found, gated ones are not', async () => {
  const { store, sql } = world;
  const lease = await claimed(store, await arrive(store, messageUpdate(1, 'a')));
  await answer(store, lease, await nextTurn(store, lease), 'b');

  const due = await store.sweep.accountsToDeliver();
  await sql(`UPDATE chats SET gate_until = now() + interval '1 minute'`);

  expect(due).toEqual(['telegram-900']);
  expect(await store.sweep.accountsToDeliver()).toEqual([]);
});

test('a ledger row whose holder is gone is closed as failed', async () => {
  const { store, sql } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'a'));
  const lease = await claimed(store, sessionId);
  const opened = {
    sessionId,
    epoch: lease.epoch,
    engine: 'compressor',
    trigger: 'threshold',
    windowTokens: 1000,
    windowSource: 'config',
    thresholdRaw: 0.5,
    triggerTokens: 500,
    mainModel: 'm',
  } as const;
  const inTurn = await store.compactions.open({ ...opened, layer: 'agent' });
  await store.compactions.open({ ...opened, layer: 'background' });

  const whileHeld = await store.sweep.closeOrphans();
  await expireAll();
  const afterwards = await store.sweep.closeOrphans();

  expect([whileHeld, afterwards]).toEqual([[], [{ layer: 'agent', trigger: 'threshold' }]]);
  expect(await sql('SELECT id::int, reason FROM compactions WHERE outcome = $1', ['failed'])).toEqual([
    { id: inTurn, reason: 'lease_lost' },
  ]);
});

test('retention takes inbox and events by their days, the inbox never before seven', async () => {
  const { store, sql } = world;
  await arrive(store, messageUpdate(1, 'a'), messageUpdate(2, 'b'));
  await sql(`UPDATE inbox SET received_at = now() - interval '6 days' WHERE message_id = '1'`);
  await sql(`UPDATE inbox SET received_at = now() - interval '8 days' WHERE message_id = '2'`);
  await sql(`UPDATE events SET created_at = now() - interval '31 days'`);

  const gone = await store.sweep.retire({ inbox: 1, events: 30, ledger: 90 });

  expect(gone).toBe(2);
  expect(await sql('SELECT message_id FROM inbox')).toEqual([{ message_id: '1' }]);
  expect(await sql('SELECT count(*)::int AS rows FROM mailbox')).toEqual([{ rows: 2 }]);
});

test('a start that knows to be alone ends every lease, those of sessions too; the former holder is still fenced', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'a', { chat: chatOf('1') }));
  const dead = await store.turns.claim(sessionId, 'dead', 60_000);
  await store.leases.acquire('poller:local-local', 'dead', 60_000);

  await store.leases.endAll();

  expect(await store.leases.holder('poller:local-local')).toBeNull();
  expect((await store.turns.claim(sessionId, 'alive', 60_000)).kind).toBe('claimed');
  if (dead.kind !== 'claimed') throw new Error('the first claim failed');
  await expect(store.turns.patchSession(dead.lease, { title: 'late' })).rejects.toThrow('was taken over');
});

test('a lease has one holder until it is given back or runs out', async () => {
  const { leases } = world.store;

  const first = await leases.acquire('poller:telegram-900', 'gateway-1', 60_000);
  const other = await leases.acquire('poller:telegram-900', 'gateway-2', 60_000);
  const renewed = await leases.acquire('poller:telegram-900', 'gateway-1', 60_000);
  const holder = await leases.holder('poller:telegram-900');
  await world.sql(`UPDATE leases SET until = now() - interval '1 second'`);
  const expired = await leases.holder('poller:telegram-900');
  const taken = await leases.acquire('poller:telegram-900', 'gateway-2', 60_000);
  await leases.release('poller:telegram-900', 'gateway-1');

  expect([first, other, renewed, taken]).toEqual([true, false, true, true]);
  expect(holder?.owner).toBe('gateway-1');
  expect(holder?.expiresInMs).toBeGreaterThan(50_000);
  expect(expired).toBeNull();
  expect((await leases.holder('poller:telegram-900'))?.owner).toBe('gateway-2');
});

test('of many that want a lease at once exactly one gets it', async () => {
  const wanted = Array.from({ length: 10 }, (_, n) =>
    world.store.leases.acquire('sweeper', `worker-${n}`, 60_000),
  );

  expect((await Promise.all(wanted)).filter(Boolean)).toHaveLength(1);
});

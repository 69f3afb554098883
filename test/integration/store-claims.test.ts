import { LeaseLost } from '@palimpsest/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  answer,
  answered,
  answerRow,
  arrive,
  claimed,
  commandUpdate,
  messageUpdate,
  next,
  nextTurn,
  reply,
} from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';
import { countStored, expireLease } from '../support/stored-state.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.sql('TRUNCATE sessions, chats, inbox, mailbox CASCADE'));

const expire = (sessionId: string) => expireLease(world, sessionId);
const everything = () => countStored(world);

test('a busy session is not claimed twice; an expired lease is taken over', async () => {
  const sessionId = await arrive(world.store, messageUpdate(1, 'hello'));
  const first = await claimed(world.store, sessionId, 'worker-1');

  expect(await world.store.turns.claim(sessionId, 'worker-2', 1000)).toEqual({
    kind: 'busy',
    owner: 'worker-1',
  });
  expect(await world.store.turns.claim('20200101_000000_00000000', 'worker-2', 1000)).toEqual({
    kind: 'unknown',
  });
  await expire(sessionId);
  const second = await claimed(world.store, sessionId, 'worker-2');

  expect([first.epoch, second.epoch]).toEqual([1, 2]);
  expect(await world.store.turns.renew(first, 60_000)).toBe(false);
  expect(await world.store.turns.renew(second, 60_000)).toBe(true);
});

test('of many claims at once exactly one wins', async () => {
  const sessionId = await arrive(world.store, messageUpdate(1, 'hello'));

  const claims = await Promise.all(
    Array.from({ length: 12 }, (_, n) => world.store.turns.claim(sessionId, `worker-${n}`, 60_000)),
  );

  expect(claims.filter((claim) => claim.kind === 'claimed')).toHaveLength(1);
});

test('a holder whose lease was taken over writes nothing, whatever it tries', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'hello'));
  const old = await claimed(store, sessionId, 'worker-1');
  const turn = await nextTurn(store, old);
  await arrive(store, commandUpdate(2, 'stop'));
  await expire(sessionId);
  await claimed(store, sessionId, 'worker-2');
  const before = await everything();
  const finish = { lease: old, turnId: turn.id, step: 1, rows: [answerRow('late')], usage: null };

  const attempts = [
    store.turns.storeRound(finish),
    store.turns.finishTurn({ ...finish, outcome: 'answered', replies: [reply(turn, 'late')], events: [] }),
    store.turns.addReplies(old, [reply(turn, 'late')]),
    store.turns.buryTurn(old, turn, [reply(turn, 'late')]),
    store.turns.suspendTurn(old, turn.id),
    store.turns.patchSession(old, { title: 'late' }),
    store.turns.withdrawPending(old, 99),
    store.turns.takeSignals(old),
    store.turns.resetSession(old, turn.chat, () => []),
    store.turns.saveOpenRound(old, turn.id, { step: 1, rows: [] }),
    next(store, old),
  ];
  const results = await Promise.allSettled(attempts);

  expect(results.map((result) => result.status === 'rejected' && result.reason instanceof LeaseLost)).toEqual(
    Array.from({ length: 11 }, () => true),
  );
  expect(await everything()).toEqual(before);
  expect(await store.turns.release(old)).toBe(false);
  expect(await store.turns.releaseWhenDone(old)).toBe('more');
  expect(await world.sql('SELECT lease_owner, title FROM sessions')).toEqual([
    { lease_owner: 'worker-2', title: null },
  ]);
});

test('a turn put back at shutdown does not lose an attempt', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'hello'));
  const lease = await claimed(store, sessionId);
  const turn = await nextTurn(store, lease);

  await store.turns.suspendTurn(lease, turn.id);
  const wake = await store.turns.release(lease);
  const again = await nextTurn(store, await claimed(store, sessionId, 'worker-2'));

  expect(wake).toBe(true);
  expect(again).toMatchObject({ id: turn.id, attempt: 1 });
});

test('release says whether something arrived between the last drain and now', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'hello'));
  const lease = await claimed(store, sessionId);
  await answer(store, lease, await nextTurn(store, lease), 'yes');
  const quiet = await store.turns.release(lease);
  const again = await claimed(store, sessionId);
  await arrive(store, messageUpdate(2, 'just now'));

  expect([quiet, await store.turns.release(again)]).toEqual([false, true]);
});

test('a session is given back when nothing is left, and kept as long as mail, a signal or a turn is', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'hello'));
  const lease = await claimed(store, sessionId);

  const withMail = await store.turns.releaseWhenDone(lease);
  const turn = await nextTurn(store, lease);
  const withTurn = await store.turns.releaseWhenDone(lease);
  await answer(store, lease, turn, 'yes');
  await arrive(store, commandUpdate(2, 'status'));
  const withSignal = await store.turns.releaseWhenDone(lease);
  const signals = await next(store, lease);
  await store.turns.takeSignals(lease);
  const atLast = await store.turns.releaseWhenDone(lease);

  expect([withMail, withTurn, withSignal, atLast]).toEqual(['more', 'more', 'more', 'done']);
  expect(signals).toEqual({ kind: 'signals' });
  expect(await store.turns.claim(sessionId, 'worker-2', 60_000)).toMatchObject({ kind: 'claimed' });
});

test.each([
  { left: 'nothing', arrives: null, released: true },
  { left: 'mail', arrives: messageUpdate(2, 'one more'), released: false },
  { left: 'a signal', arrives: commandUpdate(2, 'status'), released: false },
])('the last write of a turn gives the lease back unless something is left: $left', async (scene) => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'hello'));
  const lease = await claimed(store, sessionId);
  const turn = await nextTurn(store, lease);
  if (scene.arrives) await arrive(store, scene.arrives);

  const end = await store.turns.finishTurn({ ...answered(lease, turn, 'yes'), release: true });

  expect(end).toMatchObject({ released: scene.released, rows: [{ kind: 'assistant' }] });
  const other = await store.turns.claim(sessionId, 'worker-2', 60_000);
  expect(other.kind).toBe(scene.released ? 'claimed' : 'busy');
});

test('a turn that ends without a row gives the lease back too; without the wish it is kept', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'hello'));
  const lease = await claimed(store, sessionId);
  const first = await nextTurn(store, lease);
  const kept = await store.turns.finishTurn(answered(lease, first, 'yes'));
  await arrive(store, messageUpdate(2, 'stop there'));
  const second = await nextTurn(store, lease);

  const end = await store.turns.finishTurn({
    ...answered(lease, second, ''),
    outcome: 'stopped',
    rows: [],
    session: { title: 'boats' },
    release: true,
  });

  expect([kept.released, end.released]).toEqual([false, true]);
  expect(await store.turns.session(sessionId)).toMatchObject({ title: 'boats' });
  await expect(store.turns.finishTurn(answered(lease, second, 'late'))).rejects.toThrow(LeaseLost);
});

test('a message that comes while the lease goes back is either left for the holder or found free', async () => {
  const { store } = world;
  for (let round = 0; round < 20; round += 1) {
    const sessionId = await arrive(store, messageUpdate(round * 2 + 1, 'hello'));
    const lease = await claimed(store, sessionId);
    const turn = await nextTurn(store, lease);

    const [{ released }] = await Promise.all([
      store.turns.finishTurn({ ...answered(lease, turn, 'yes'), release: true }),
      arrive(store, messageUpdate(round * 2 + 2, 'just now')),
    ]);

    const holder = released ? await claimed(store, sessionId, 'worker-2') : lease;
    const second = await nextTurn(store, holder);
    expect(second.mailbox).toHaveLength(1);
    await answer(store, holder, second, 'yes');
    await store.turns.release(holder);
  }
});

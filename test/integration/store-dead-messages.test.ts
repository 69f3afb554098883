/** Messages that were given up: an operator has them answered after all, or drops them. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { answer, arrive, claimed, messageUpdate, next, nextTurn } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';
import { expireLease } from '../support/stored-state.ts';

const actor = { name: 'operator', via: 'dashboard' } as const;
let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.sql('TRUNCATE sessions, chats, inbox, mailbox, operator_actions CASCADE'));

/** Two messages whose turn broke its worker three times, then one that was answered. */
async function withDeadTurn(): Promise<string> {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'breaks it'), messageUpdate(2, 'and this too'));
  for (const worker of ['worker-1', 'worker-2', 'worker-3']) {
    await nextTurn(store, await claimed(store, sessionId, worker));
    await expireLease(world, sessionId);
  }
  const lease = await claimed(store, sessionId, 'worker-4');
  const poison = await next(store, lease);
  if (poison.kind !== 'poison') throw new Error(`the next work is ${poison.kind}`);
  await store.turns.buryTurn(lease, poison.turn, []);
  await arrive(store, messageUpdate(3, 'harmless'));
  await answer(store, lease, await nextTurn(store, lease), 'fine');
  await store.turns.release(lease);
  return sessionId;
}

const texts = async (sessionId: string): Promise<string[]> =>
  (await world.store.transcript.liveRows(sessionId)).map(({ parts: [part] }) =>
    part?.type === 'text' ? part.text : '',
  );

test('they are listed without their text, which is read one by one', async () => {
  const sessionId = await withDeadTurn();
  const { boards } = world.store;

  const listed = await boards.deadMessages(10);

  expect(
    listed.map(({ seq, kind, platform, attempts, characters }) => [
      seq,
      kind,
      platform,
      attempts,
      characters,
    ]),
  ).toEqual([
    [2, 'message', 'telegram', 3, 12],
    [1, 'message', 'telegram', 3, 9],
  ]);
  expect(JSON.stringify(listed)).not.toContain('breaks it');
  expect(await boards.deadMessage({ sessionId, seq: 1 })).toEqual({ text: 'breaks it' });
  expect(await boards.deadMessage({ sessionId, seq: 3 })).toBeNull();
});

test('a retry makes a new turn of all that the dead one had taken, and nothing stands twice in the transcript', async () => {
  const sessionId = await withDeadTurn();
  const { store } = world;
  expect(await texts(sessionId)).toEqual(['breaks it', 'and this too', 'harmless', 'fine']);

  const ends = [
    await store.actions.retryMessage({ sessionId, seq: 1 }, actor),
    await store.actions.retryMessage({ sessionId, seq: 2 }, actor),
  ];
  const turn = await nextTurn(store, await claimed(store, sessionId, 'worker-5'));

  expect(ends).toEqual([null, 'missing']);
  expect(turn).toMatchObject({ attempt: 1, lastStep: 0, openRound: null });
  expect(turn.mailbox.map(({ seq }) => seq)).toEqual([1, 2]);
  expect(await texts(sessionId)).toEqual(['harmless', 'fine', 'breaks it', 'and this too']);
  const acts = await store.boards.actions({ limit: 10 });
  expect(acts.map(({ act, actor: who, sessionId: of, target }) => [act, who, of, target])).toEqual([
    ['retry_message', 'operator', sessionId, '1'],
  ]);
});

test('one that is dropped is no dead letter any more and is not answered', async () => {
  const sessionId = await withDeadTurn();
  const { store } = world;

  const ends = [
    await store.actions.dropMessage({ sessionId, seq: 1 }, actor),
    await store.actions.dropMessage({ sessionId, seq: 1 }, actor),
  ];

  expect(ends).toEqual([null, 'missing']);
  expect((await store.boards.deadMessages(10)).map(({ seq }) => seq)).toEqual([2]);
  expect((await store.operators.gauges()).dead.mailbox).toBe(1);
  expect(await next(store, await claimed(store, sessionId, 'worker-5'))).toEqual({ kind: 'none' });
  expect((await store.boards.actions({ limit: 10 })).map(({ act }) => act)).toEqual(['drop_message']);
});

test('while a worker holds the session, or once the session has ended, nothing is tried again', async () => {
  const sessionId = await withDeadTurn();
  const { store, sql } = world;
  const lease = await claimed(store, sessionId, 'worker-5');

  expect(await store.actions.retryMessage({ sessionId, seq: 1 }, actor)).toBe('busy');
  await store.turns.release(lease);
  await sql('UPDATE sessions SET closed_at = now() WHERE id = $1', [sessionId]);
  expect(await store.actions.retryMessage({ sessionId, seq: 1 }, actor)).toBe('nothing_to_do');
  expect(await store.actions.retryMessage({ sessionId: 'nobody', seq: 1 }, actor)).toBe('missing');
  expect(await store.boards.actions({ limit: 10 })).toEqual([]);
});

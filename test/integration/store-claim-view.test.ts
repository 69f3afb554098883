/** The transcript that comes with a turn: what it begins with, and never rows whose claim was not committed. */
import type { LiveView } from '@palimpsest/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { answer, arrive, claimed, messageUpdate, next } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.sql('TRUNCATE sessions, chats, inbox, mailbox CASCADE'));

const textsOf = (view: LiveView | undefined) =>
  view?.bodies.map(({ parts: [part] }) => (part?.type === 'text' ? part.text : ''));

test('a turn comes with the rows before it and its own', async () => {
  const { store } = world;
  const lease = await claimed(store, await arrive(store, messageUpdate(1, 'first')));
  const first = await next(store, lease, true, 40);
  if (first.kind !== 'turn') throw new Error(first.kind);
  await answer(store, lease, first.turn, 'answer');
  await arrive(store, messageUpdate(2, 'second'));

  const second = await next(store, lease, true, 40);

  if (second.kind !== 'turn') throw new Error(second.kind);
  expect(textsOf(first.view)).toEqual(['first']);
  expect(textsOf(second.view)).toEqual(['first', 'answer', 'second']);
});

test('rows of a claim that failed at its commit are not remembered', async () => {
  const { store } = world;
  await world.sql(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`,
  );
  await world.sql(
    `CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON turns DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
  const sessionId = await arrive(store, messageUpdate(1, 'first'));
  const lease = await claimed(store, sessionId);
  await expect(next(store, lease, true, 40)).rejects.toThrow();
  await world.sql('DROP FUNCTION refuse CASCADE');

  const work = await next(store, lease, true, 40);

  if (work.kind !== 'turn') throw new Error(work.kind);
  const stored = (await store.transcript.liveRows(sessionId)).map((row) => row.id);
  expect(stored).toHaveLength(1);
  expect(work.view?.rows.map((row) => row.id)).toEqual(stored);
  expect((await store.transcript.liveView(sessionId, 40)).rows.map((row) => row.id)).toEqual(stored);
});

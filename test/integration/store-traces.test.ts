/** Where a reply belongs in a trace: under the turn that made it, whenever that turn wrote it. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { accountKey } from '@palimpsest/core';
import { arrive, claimed, messageUpdate, nextTurn, reply } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.sql('TRUNCATE sessions, chats, inbox, mailbox CASCADE'));

const ofMessage = `00-${'a'.repeat(32)}-${'1'.repeat(16)}-01`;
const ofFirst = `00-${'a'.repeat(32)}-${'2'.repeat(16)}-01`;
const ofSecond = `00-${'a'.repeat(32)}-${'3'.repeat(16)}-01`;

test('a notice in the middle of a turn belongs to it; a former holder does not move it, the next attempt does', async () => {
  const { turns, outbox } = world.store;
  const sessionId = await arrive(world.store, { ...messageUpdate(1, 'hello'), traceparent: ofMessage });
  const old = await claimed(world.store, sessionId, 'worker-1');
  const turn = await nextTurn(world.store, old);
  const parent = async () => (await outbox.due(accountKey(turn.chat.account), 10))[0]?.traceparent;
  await turns.addReplies(old, [{ ...reply(turn, 'condensing'), kind: 'notice' }]);

  const before = await parent();
  await turns.keepTrace(old, { id: turn.id, traceparent: ofFirst });
  const first = await parent();
  await world.sql(`UPDATE sessions SET lease_until = now() - interval '1 second'`);
  const lease = await claimed(world.store, sessionId, 'worker-2');
  await nextTurn(world.store, lease);
  await turns.keepTrace(lease, { id: turn.id, traceparent: ofSecond });
  await turns.keepTrace(old, { id: turn.id, traceparent: ofFirst });

  expect([before, first, await parent()]).toEqual([ofMessage, ofFirst, ofSecond]);
});

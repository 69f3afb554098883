/** Corrections of a message that come twice, late, in the wrong order, or change nothing. */
import type { IncomingUpdate } from '@palimpsest/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  answer,
  arrive,
  claimed,
  editUpdate,
  messageUpdate,
  next,
  nextTurn,
  policy,
} from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeEach(async () => {
  world = await openTestStore();
});
afterEach(() => world[Symbol.asyncDispose]());

/** An edit of message 1 that was made at that minute. */
function edit(key: number, text: string, minute: number): IncomingUpdate {
  const update = editUpdate(key, 1, text);
  const editedAt = new Date(Date.parse('2026-11-29T12:00:00Z') + minute * 60_000);
  return { ...update, content: { ...update.content, editedAt } as IncomingUpdate['content'] };
}

async function outcomes(...updates: IncomingUpdate[]): Promise<string[]> {
  const results = await world.store.intake.storeUpdates(policy(), updates);
  return results.map(({ result, reason }) => reason ?? result);
}

function waiting(): Promise<Record<string, unknown>[]> {
  return world.sql(
    `SELECT kind, content #>> '{message,text}' AS text FROM mailbox WHERE state = 'pending' ORDER BY seq`,
  );
}

test('an older correction that comes later does not undo the newer one', async () => {
  await arrive(world.store, messageUpdate(1, 'at 4'));

  expect(await outcomes(edit(502, 'at 6', 2), edit(501, 'at 5', 1))).toEqual(['stored', 'outdated']);
  expect(await waiting()).toEqual([{ kind: 'message', text: 'at 6' }]);
});

test('a correction in the batch of its message finds it, also in front of it', async () => {
  expect(await outcomes(edit(501, 'at 5', 1), messageUpdate(1, 'at 4'))).toEqual(['stored', 'stored']);

  expect(await waiting()).toEqual([{ kind: 'message', text: 'at 5' }]);
});

test('an edit that leaves the text as it was changes nothing, before the answer and after it', async () => {
  const sessionId = await arrive(world.store, messageUpdate(1, 'at 4'));
  const before = await outcomes(edit(501, 'at 4', 1));
  const lease = await claimed(world.store, sessionId);
  await answer(world.store, lease, await nextTurn(world.store, lease), 'ok');

  expect([...before, ...(await outcomes(edit(502, 'at 4', 2)))]).toEqual(['unchanged', 'unchanged']);
  expect(await waiting()).toEqual([]);
});

test('several corrections of what was read become one note with the last text', async () => {
  const sessionId = await arrive(world.store, messageUpdate(1, 'at 4'));
  const lease = await claimed(world.store, sessionId);
  await answer(world.store, lease, await nextTurn(world.store, lease), 'ok');

  await outcomes(edit(501, 'at 5', 1));
  await outcomes(edit(503, 'at 7', 3), edit(502, 'at 6', 2));

  expect(await waiting()).toEqual([{ kind: 'edit', text: 'at 7' }]);
  expect(await next(world.store, lease)).toEqual({ kind: 'none' });
});

test('a correction of a correction that was read is a new note', async () => {
  const sessionId = await arrive(world.store, messageUpdate(1, 'at 4'));
  const lease = await claimed(world.store, sessionId);
  await answer(world.store, lease, await nextTurn(world.store, lease), 'ok');
  await outcomes(edit(501, 'at 5', 1));
  await arrive(world.store, messageUpdate(2, 'well?'));
  await answer(world.store, lease, await nextTurn(world.store, lease), 'ok');

  expect(await outcomes(edit(502, 'at 5', 2), edit(503, 'at 6', 3))).toEqual(['unchanged', 'stored']);
  expect(await waiting()).toEqual([{ kind: 'edit', text: 'at 6' }]);
});

test('who corrects a message after days is not answered on it', async () => {
  await arrive(world.store, messageUpdate(1, 'at 4'));
  await world.sql(`UPDATE mailbox SET state = 'done', accepted_at = now() - interval '50 hours'`);

  expect(await outcomes(edit(501, 'at 5', 3_000))).toEqual(['too_late']);
  expect(await waiting()).toEqual([]);
  expect(await world.sql(`SELECT status, raw FROM inbox WHERE update_key = '501'`)).toEqual([
    { status: 'ignored', raw: null },
  ]);
});

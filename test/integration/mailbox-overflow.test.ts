/** A mailbox has a bound; who writes beyond it hears so, once. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ada, answer, claimed, commandUpdate, messageUpdate, nextTurn, policy } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeEach(async () => {
  world = await openTestStore();
});
afterEach(() => world[Symbol.asyncDispose]());

const bounded = policy({ bound: { messages: 3, text: (language) => (language === 'de' ? 'voll' : 'full') } });

async function send(...updates: ReturnType<typeof messageUpdate>[]) {
  const results = await world.store.intake.storeUpdates(bounded, updates);
  return results.map(({ result, reason }) => reason ?? result);
}

function told(): Promise<Record<string, unknown>[]> {
  return world.sql('SELECT text, kind FROM outbox ORDER BY id');
}

test('messages beyond the bound are not taken, commands are, and the sender is told once', async () => {
  const batch = [1, 2, 3, 4, 5].map((id) => messageUpdate(id, `text ${id}`));

  expect(await send(...batch)).toEqual(['stored', 'stored', 'stored', 'mailbox_full', 'mailbox_full']);
  expect(await send(messageUpdate(6, 'text 6'))).toEqual(['mailbox_full']);
  expect(await send(messageUpdate(4, 'text 4'))).toEqual(['duplicate']);
  expect(await send(commandUpdate(7, 'compress'), commandUpdate(8, 'stop'))).toEqual(['stored', 'stored']);

  expect(await told()).toEqual([{ text: 'full', kind: 'notice' }]);
  expect(
    await world.sql(`SELECT message_id AS id, raw FROM inbox WHERE reason = 'mailbox_full' ORDER BY id`),
  ).toEqual(['4', '5', '6'].map((id) => ({ id, raw: null })));
});

test('once what waited was read there is room again, and a new overflow is told again', async () => {
  await send(...[1, 2, 3, 4].map((id) => messageUpdate(id, `text ${id}`)));
  const [session] = await world.sql('SELECT id FROM sessions');
  const lease = await claimed(world.store, String(session?.['id']));
  await answer(world.store, lease, await nextTurn(world.store, lease), 'ok');

  const again = await send(...[5, 6, 7, 8].map((id) => messageUpdate(id, `text ${id}`)));

  expect(again).toEqual(['stored', 'stored', 'stored', 'mailbox_full']);
  expect((await told()).filter(({ text }) => text === 'full')).toHaveLength(2);
});

test('in a direct chat it is told in the language of who wrote', async () => {
  const sender = { ...ada, language: 'de' };
  await send(...[1, 2, 3, 4].map((id) => messageUpdate(id, `text ${id}`, { sender })));

  expect(await told()).toEqual([{ text: 'voll', kind: 'notice' }]);
});

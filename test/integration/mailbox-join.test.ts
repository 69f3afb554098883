/** What a running turn may be given of what came meanwhile, and what waits for the next. */
import type { JoinedMail, Lease, Turn } from '@palimpsest/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ada,
  answer,
  arrive,
  claimed,
  commandUpdate,
  group,
  listsOfAll,
  messageUpdate,
  nextTurn,
  render,
} from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeEach(async () => {
  world = await openTestStore();
});
afterEach(() => world[Symbol.asyncDispose]());

const bob = { id: '43', name: 'Bob', isBot: false };

function join(lease: Lease, turn: Turn): Promise<JoinedMail> {
  const options = {
    maxTexts: 20,
    maxCharacters: 100_000,
    maxAttempts: 3,
    collect: true,
    lists: listsOfAll(),
    render,
  };
  return world.store.turns.joinTurn(lease, turn, options);
}

test('messages of people whom the turn answers join it, each a row of its own, and are done with it', async () => {
  const sessionId = await arrive(world.store, messageUpdate(1, 'one'));
  const lease = await claimed(world.store, sessionId);
  const turn = await nextTurn(world.store, lease);
  const early = await world.store.turns.mailBehind(sessionId, turn);
  await arrive(world.store, messageUpdate(2, 'two'), messageUpdate(3, 'three'));
  const late = await world.store.turns.mailBehind(sessionId, turn);

  const joined = await join(lease, turn);
  const again = await join(lease, turn);
  await answer(world.store, lease, turn, 'ok');

  expect([early, late]).toEqual([false, true]);
  expect(joined.mailbox.map((row) => row.seq)).toEqual([2, 3]);
  expect(joined.rows.map(({ step, part }) => [step, part])).toEqual([
    [0, 1],
    [0, 2],
  ]);
  expect(again).toEqual({ mailbox: [], rows: [] });
  expect(await world.sql('SELECT DISTINCT state, turn_id FROM mailbox')).toEqual([
    { state: 'done', turn_id: turn.id },
  ]);
});

test('whoever the turn does not answer waits, and so does what stands behind a command', async () => {
  const sessionId = await arrive(world.store, messageUpdate(1, '@bot one', { chat: group }));
  const lease = await claimed(world.store, sessionId);
  const turn = await nextTurn(world.store, lease);
  await arrive(world.store, messageUpdate(2, '@bot two', { chat: group, sender: bob }));
  const ofBob = await join(lease, turn);
  await world.sql(`UPDATE mailbox SET state = 'withdrawn' WHERE seq = 2`);
  const { content, ...command } = commandUpdate(3, 'compress');
  await arrive(
    world.store,
    { ...command, content: { ...content, chat: group } as typeof content },
    messageUpdate(4, '@bot four', { chat: group, sender: ada }),
  );
  const behindCommand = await join(lease, turn);

  expect(ofBob.mailbox).toEqual([]);
  expect(behindCommand.mailbox).toEqual([]);
  expect(await world.sql(`SELECT seq::int AS seq, state FROM mailbox WHERE seq > 2 ORDER BY seq`)).toEqual([
    { seq: 3, state: 'pending' },
    { seq: 4, state: 'pending' },
  ]);
});

test('somebody whose right was taken away while the turn runs does not steer it', async () => {
  const sessionId = await arrive(world.store, messageUpdate(1, 'one'));
  const lease = await claimed(world.store, sessionId);
  const turn = await nextTurn(world.store, lease);
  await arrive(world.store, messageUpdate(2, 'two'));
  await world.store.operators.setAccess({ platform: 'telegram', kind: 'user', id: '42', access: 'deny' });

  expect(await join(lease, turn)).toEqual({ mailbox: [], rows: [] });
});

test('as long as the person has all their turns elsewhere, nothing is taken', async () => {
  const sessionId = await arrive(world.store, messageUpdate(1, 'one'));
  const lease = await claimed(world.store, sessionId);
  const options = {
    maxTexts: 20,
    maxCharacters: 100_000,
    maxAttempts: 3,
    collect: true,
    lists: listsOfAll(),
    render,
  };
  const asked: string[] = [];

  const refused = await world.store.turns.nextWork(lease, {
    ...options,
    admit: (senderId) => {
      asked.push(senderId);
      return false;
    },
  });

  expect(refused).toEqual({ kind: 'crowded' });
  expect(asked).toEqual(['42']);
  expect(await world.sql('SELECT state, attempts FROM mailbox')).toEqual([{ state: 'pending', attempts: 0 }]);
});

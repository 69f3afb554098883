/** One message that reaches us in pieces: a text that the client cut up, an album, forwards. */
import { renderPerson } from '@palimpsest/agent';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answer, arrive, claimed, listsOfAll, messageUpdate, next, policy } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeEach(async () => {
  world = await openTestStore();
});
afterEach(() => world[Symbol.asyncDispose]());

const noon = new Date('2026-11-29T12:00:00Z');
const evening = new Date('2026-11-29T18:30:00Z');

/** What the model reads of each row. */
async function texts(sessionId: string): Promise<string[]> {
  const rows = await world.sql(
    `SELECT (SELECT string_agg(p ->> 'text', '|') FROM jsonb_array_elements(parts) AS p) AS text FROM messages
     WHERE session_id = $1 ORDER BY seq`,
    [sessionId],
  );
  return rows.map((row) => String(row['text']));
}

async function turnAsRendered(lease: Awaited<ReturnType<typeof claimed>>, collect = true) {
  const work = await world.store.turns.nextWork(lease, {
    maxTexts: 20,
    maxCharacters: 100_000,
    maxAttempts: 3,
    collect,
    lists: listsOfAll(),
    render: (row, goesOn) => renderPerson(row, { timezone: 'UTC', maxTextTokens: 10_000, goesOn }),
  });
  if (work.kind !== 'turn') throw new Error(work.kind);
  return work.turn;
}

test('a pasted text is read as one message, under one header, and each piece stays a row of its own', async () => {
  const sessionId = await arrive(
    world.store,
    messageUpdate(1, 'Once upon a ti', { series: 'text' }),
    messageUpdate(2, 'me there was', { series: 'text' }),
    messageUpdate(3, 'a press.'),
  );
  const lease = await claimed(world.store, sessionId);
  const early = await next(world.store, lease);
  await world.sql('UPDATE mailbox SET not_before = now()');

  const turn = await turnAsRendered(lease);

  expect(early.kind).toBe('later');
  expect(turn.mailbox.map((row) => row.seq)).toEqual([1, 2, 3]);
  expect(await texts(sessionId)).toEqual(['[2026-11-29 12:00]|Once upon a ti', 'me there was', 'a press.']);
  expect(await world.sql('SELECT platform_message_id AS id, part FROM messages ORDER BY seq')).toEqual([
    { id: '1', part: 0 },
    { id: '2', part: 1 },
    { id: '3', part: 2 },
  ]);
});

test('an album whose parts came with two polls is one message, with all that stands under its pictures', async () => {
  const album = { series: 'album:77', sentAt: noon };
  const sessionId = await arrive(
    world.store,
    messageUpdate(1, 'the front', album),
    messageUpdate(2, 'the back', album),
  );
  const lease = await claimed(world.store, sessionId);
  const early = await next(world.store, lease);
  await arrive(world.store, messageUpdate(3, 'the spine', album));
  await world.sql('UPDATE mailbox SET not_before = now()');

  const turn = await turnAsRendered(lease, false);

  expect(early.kind).toBe('later');
  expect(turn.mailbox.map((row) => row.seq)).toEqual([1, 2, 3]);
  expect(await texts(sessionId)).toEqual(['[2026-11-29 12:00]|the front', 'the back', 'the spine']);
});

test('one after the other: each message has its turn, an album has one, and what was forwarded keeps its headers', async () => {
  const sessionId = await arrive(
    world.store,
    messageUpdate(1, 'first', { sentAt: noon }),
    messageUpdate(2, 'second', { sentAt: noon }),
    messageUpdate(3, 'passed on', { series: 'forwards', sentAt: evening }),
    messageUpdate(4, 'and this', { series: 'forwards', sentAt: evening }),
  );
  await world.sql('UPDATE mailbox SET not_before = now()');
  const lease = await claimed(world.store, sessionId);

  const taken: number[][] = [];
  for (let turns = 0; turns < 3; turns++) {
    const turn = await turnAsRendered(lease, false);
    taken.push(turn.mailbox.map((row) => row.seq));
    await answer(world.store, lease, turn, 'ok');
  }

  expect(taken).toEqual([[1], [2], [3, 4]]);
  expect(await texts(sessionId)).toEqual([
    '[2026-11-29 12:00]|first',
    'ok',
    '[2026-11-29 12:00]|second',
    'ok',
    '[2026-11-29 18:30]|passed on',
    '[2026-11-29 18:30]|and this',
    'ok',
  ]);
});

test('a piece that was deleted on the platform while its text waits leaves the others', async () => {
  const sessionId = await arrive(
    world.store,
    messageUpdate(1, 'one ', { series: 'text' }),
    messageUpdate(2, 'two ', { series: 'text' }),
    messageUpdate(3, 'three'),
  );
  await world.store.intake.storeUpdates(policy(), [
    {
      updateKey: '900',
      raw: Buffer.from('{}'),
      content: { kind: 'deleted', chatId: '42', messageIds: ['2'] },
    },
  ]);
  await world.sql('UPDATE mailbox SET not_before = now()');

  const turn = await turnAsRendered(await claimed(world.store, sessionId));

  expect(turn.mailbox.map((row) => row.seq)).toEqual([1, 3]);
  expect(await texts(sessionId)).toEqual(['[2026-11-29 12:00]|one ', 'three']);
});

test('texts that would not fit into one prompt are answered one turn after the other', async () => {
  const { store } = world;
  const long = 'x'.repeat(60_000);
  const sessionId = await arrive(
    store,
    messageUpdate(1, long),
    messageUpdate(2, 'short'),
    messageUpdate(3, long),
  );
  const lease = await claimed(store, sessionId);

  const first = await turnAsRendered(lease);
  await answer(store, lease, first, 'to both');
  const second = await turnAsRendered(lease);

  expect(first.mailbox.map((row) => row.seq)).toEqual([1, 2]);
  expect(second.mailbox.map((row) => row.seq)).toEqual([3]);
});

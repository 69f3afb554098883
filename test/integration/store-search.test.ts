import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCompaction, summaryPlan } from '../support/plans.ts';
import {
  assistantRow,
  openStoreWorld,
  personRow,
  textsOf,
  type StoreWorld,
  type TestSession,
} from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const everything = { limit: 10, neighbours: 0, liveOfOwnSession: true };

async function found(session: TestSession, query: string, options = everything): Promise<string[]> {
  const hits = await world.transcript.search({ sessionId: session.sessionId }, query, options);
  return textsOf(hits.map((hit) => hit.row));
}

async function archive(session: TestSession, ids: readonly number[]): Promise<void> {
  const id = await openCompaction(world.compactions, session.sessionId);
  await world.compactions.apply(session.lease, id, summaryPlan(ids, 'the summary mentions cherry'), []);
}

/** Link platform ids of one person. */
async function person(...identities: readonly [platform: string, userId: string][]): Promise<void> {
  const [row] = await world.query<{ id: string }>('INSERT INTO people DEFAULT VALUES RETURNING id');
  for (const [platform, userId] of identities) {
    await world.query(
      `INSERT INTO identities (platform, user_id, person_id, name) VALUES ($1, $2, $3, 'Ada')`,
      [platform, userId, row?.id],
    );
  }
}

test('S2 words find live and archived rows, each with its state', async () => {
  const session = await world.newSession();
  const rows = await world.append(session.lease, [
    personRow('an apple a day'),
    assistantRow('one apple more'),
    personRow('pear'),
  ]);
  await archive(session, [rows[0]?.id ?? 0]);

  const hits = await world.transcript.search({ sessionId: session.sessionId }, 'apple', everything);

  expect(hits.map((hit) => [textsOf([hit.row])[0], hit.state]).sort()).toEqual([
    ['an apple a day', 'archived'],
    ['one apple more', 'live'],
  ]);
});

test('what the prompt still holds is skipped unless asked for', async () => {
  const session = await world.newSession();
  const rows = await world.append(session.lease, [personRow('an apple a day'), personRow('an apple a week')]);
  await archive(session, [rows[0]?.id ?? 0]);

  expect(await found(session, 'apple', { ...everything, liveOfOwnSession: false })).toEqual([
    'an apple a day',
  ]);
});

test('S2 withdrawn rows are never found', async () => {
  const session = await world.newSession();
  const rows = await world.append(session.lease, [personRow('secret apple')]);
  await world.query('UPDATE messages SET active = 0 WHERE session_id = $1 AND id = $2', [
    session.sessionId,
    rows[0]?.id,
  ]);

  expect(await found(session, 'apple')).toEqual([]);
});

test('summaries are not found, only what they stand for', async () => {
  const session = await world.newSession();
  const rows = await world.append(session.lease, [personRow('cherry one'), personRow('cherry two')]);
  await archive(
    session,
    rows.map((row) => row.id),
  );

  expect((await found(session, 'cherry')).sort()).toEqual(['cherry one', 'cherry two']);
});

test('neighbouring lines come in seq order without the hit', async () => {
  const session = await world.newSession();
  await world.append(session.lease, ['a', 'b', 'apple', 'd', 'e'].map(personRow));

  const [hit] = await world.transcript.search({ sessionId: session.sessionId }, 'apple', {
    ...everything,
    neighbours: 1,
  });

  expect([textsOf(hit?.before ?? []), textsOf(hit?.after ?? [])]).toEqual([['b'], ['d']]);
});

test('a quoted phrase asks for its words in order', async () => {
  const session = await world.newSession();
  await world.append(session.lease, [personRow('the red car stopped'), personRow('the car is red')]);

  expect(await found(session, '"red car"')).toEqual(['the red car stopped']);
});

test('rows with all words come first, then those with some', async () => {
  const session = await world.newSession();
  await world.append(session.lease, [
    personRow('only the apple'),
    personRow('a pear with an apple'),
    personRow('nothing of it'),
  ]);

  expect(await found(session, 'apple pear')).toEqual(['a pear with an apple', 'only the apple']);
});

test('when enough rows have all words, rows with some are left out', async () => {
  const session = await world.newSession();
  await world.append(session.lease, [personRow('only the apple'), personRow('a pear with an apple')]);

  expect(await found(session, 'apple pear', { ...everything, limit: 1 })).toEqual(['a pear with an apple']);
});

test('of equal hits the newer comes first', async () => {
  const session = await world.newSession();
  const [older, newer] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-02-01T00:00:00Z')];
  await world.append(session.lease, [
    { ...personRow('apple pie'), sentAt: older },
    { ...personRow('apple cake'), sentAt: newer },
  ]);

  expect(await found(session, 'apple')).toEqual(['apple cake', 'apple pie']);
});

test('a word finds longer words when it has too few exact hits', async () => {
  const session = await world.newSession();
  await world.append(session.lease, [personRow('we deployed it')]);

  expect(await found(session, 'deploy')).toEqual(['we deployed it']);
});

test('Chinese and Japanese are found by any part of a run', async () => {
  const session = await world.newSession();
  await world.append(session.lease, [personRow('明日は東京タワーに行きます'), personRow('大阪城')]);

  expect(await found(session, '東京')).toEqual(['明日は東京タワーに行きます']);
  expect(await found(session, '京タワ')).toEqual(['明日は東京タワーに行きます']);
  expect(await found(session, '城')).toEqual(['大阪城']);
});

test('paths, accents and case do not matter', async () => {
  const session = await world.newSession();
  await world.append(session.lease, [personRow('see /srv/App-2/store.ts'), personRow('Café Zürich')]);

  expect(await found(session, 'app-2/store.ts')).toEqual(['see /srv/App-2/store.ts']);
  expect(await found(session, 'CAFE zurich')).toEqual(['Café Zürich']);
});

test('a word far inside a long message is found, once', async () => {
  const session = await world.newSession();
  const long = `${'filler '.repeat(20_000)}needle ${'filler '.repeat(1_000)}needle`;
  await world.append(session.lease, [personRow(long)]);

  expect(await found(session, 'needle')).toEqual([long]);
});

test.each([
  `'`,
  `\\`,
  `a & | b`,
  `!!!`,
  `"`,
  `<->`,
  `:*`,
  `%_`,
  '\0',
  '\ud800',
  `'); DROP TABLE messages; --`,
  `"" ""`,
  '😀',
  '   ',
  `${'x'.repeat(5_000)}`,
])('a query of special characters never throws (%j)', async (query) => {
  const session = await world.newSession();
  await world.append(session.lease, [personRow('apple')]);

  expect(await found(session, query)).toEqual([]);
});

test('an unknown session finds nothing', async () => {
  expect(await world.transcript.search({ sessionId: 'nobody' }, 'apple', everything)).toEqual([]);
});

test('a group sees its own sessions, former ones too, and no others', async () => {
  const wish = { kind: 'group', chatId: '-1', account: 'scope' } as const;
  const former = await world.newSession(wish);
  await world.append(former.lease, [personRow('kiwi in the former session')]);
  const now = await world.newSession(wish);
  await world.append(now.lease, [personRow('kiwi in this session')]);
  const other = await world.newSession({ ...wish, chatId: '-2' });
  await world.append(other.lease, [personRow('kiwi in another group')]);
  const direct = await world.newSession({ account: 'scope', userId: '5', chatId: '5' });
  await world.append(direct.lease, [personRow('kiwi in private')]);

  expect((await found(now, 'kiwi')).sort()).toEqual(['kiwi in the former session', 'kiwi in this session']);
});

test('a person sees their own direct sessions over linked identities, no group and nobody else', async () => {
  await person(['telegram', 'u1'], ['discord', 'u2']);
  await person(['telegram', 'u3']);
  const here = await world.newSession({ userId: 'u1', chatId: 'u1' });
  await world.append(here.lease, [personRow('mango on telegram')]);
  const there = await world.newSession({ platform: 'discord', userId: 'u2', chatId: 'dm-9' });
  await world.append(there.lease, [personRow('mango on discord')]);
  const stranger = await world.newSession({ userId: 'u3', chatId: 'u3' });
  await world.append(stranger.lease, [personRow('mango of a stranger')]);
  const group = await world.newSession({ kind: 'group', chatId: '-7' });
  await world.append(group.lease, [personRow('mango in a group')]);

  expect((await found(here, 'mango')).sort()).toEqual(['mango on discord', 'mango on telegram']);
  expect(await found(stranger, 'mango')).toEqual(['mango of a stranger']);
  expect(await found(group, 'mango')).toEqual(['mango in a group']);
});

test('a direct chat of nobody known sees itself only', async () => {
  const one = await world.newSession({ chatId: 'unknown-1' });
  const other = await world.newSession({ chatId: 'unknown-2' });
  await world.append(one.lease, [personRow('papaya here')]);
  await world.append(other.lease, [personRow('papaya there')]);

  expect(await found(one, 'papaya')).toEqual(['papaya here']);
});

test('a group that became a supergroup still finds what was said before', async () => {
  const session = await world.newSession({ kind: 'group', chatId: '-8', account: 'moved' });
  await world.append(session.lease, [personRow('guava before the move')]);
  const known = await world.newSession({ kind: 'group', chatId: '-1008', account: 'moved' });
  await world.outbox.moveChat(session.chat.chatRowId, '-1008');

  expect(await found(known, 'guava')).toEqual(['guava before the move']);
});

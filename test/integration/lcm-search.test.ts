import type { LcmGrep, LcmGrepFound, LcmRefusal, NewRow } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { undoOf } from '../support/undo.ts';
import { coverRows, lcmOf } from '../support/lcm.ts';
import {
  assistantRow,
  openStoreWorld,
  personRow,
  type StoreWorld,
  type TestSession,
} from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

function at(row: NewRow, time: string): NewRow {
  return { ...row, sentAt: new Date(time) };
}

async function grep(
  session: TestSession,
  query: string,
  wish: Partial<LcmGrep> = {},
): Promise<LcmGrepFound | LcmRefusal> {
  return lcmOf(world).grep(
    { sessionId: session.sessionId },
    { query, mode: 'full_text', messages: true, summaries: true, limit: 20, sort: 'recency', ...wish },
  );
}

/** `seq/1024` of messages, contents' beginnings of summaries; refusals by reason. */
async function hits(session: TestSession, query: string, wish: Partial<LcmGrep> = {}): Promise<string[]> {
  const found = await grep(session, query, wish);
  if (found.kind === 'refused') return [found.reason];
  return found.hits.map((hit) =>
    hit.kind === 'message' ? String(hit.seq / 1024) : hit.snippet.slice(0, 12),
  );
}

/** 1 and 2 are under a leaf that speaks of quokkas; 3 to 5 are live. */
async function quokkas(): Promise<TestSession> {
  const session = await world.newSession();
  const rows = await world.append(session.lease, [
    at(personRow('The quokka in src/db/config.ts smiles'), '2026-03-01T10:00:00Z'),
    at(assistantRow('Nothing to see'), '2026-03-01T11:00:00Z'),
    at(personRow('a quokka and a quokka and another quokka'), '2026-03-02T10:00:00Z'),
    at(assistantRow('東京タワーに行きたい exec:101'), '2026-03-03T10:00:00Z'),
    at(personRow('Quokka again, error 404'), '2026-03-04T10:00:00Z'),
  ]);
  await coverRows(world, session, rows.slice(0, 2), 'A quokka was seen in the config file');
  return session;
}

test('A36 over messages only no summaries are found, newest first, within since and before', async () => {
  const session = await quokkas();

  expect(await hits(session, 'quokka', { summaries: false })).toEqual(['5', '3', '1']);
  expect(await hits(session, 'quokka', { messages: false })).toEqual(['A quokka was']);
  expect(
    await hits(session, 'quokka', {
      summaries: false,
      since: new Date('2026-03-01T10:00:00Z'),
      before: new Date('2026-03-04T10:00:00Z'),
    }),
  ).toEqual(['3', '1']);
  expect(await hits(session, 'quokka', { summaries: false, limit: 1 })).toEqual(['5']);
});

test('a hit under a leaf names the leaf, its state and a snippet around the word', async () => {
  const session = await quokkas();
  const found = await grep(session, 'smiles', { summaries: false });
  if (found.kind === 'refused') throw new Error(found.reason);

  expect(found.hits).toMatchObject([
    { kind: 'message', state: 'archived', snippet: 'The quokka in src/db/config.ts smiles', sender: 'Ada' },
  ]);
  const [hit] = found.hits;
  expect(hit?.kind === 'message' ? hit.coveredBy : null).toMatch(/^sum_[0-9a-f]{64}$/);
});

test('relevance puts the message that speaks of it most first, hybrid weighs the age', async () => {
  const session = await quokkas();

  expect((await hits(session, 'quokka', { summaries: false, sort: 'relevance' }))[0]).toBe('3');
  expect(await hits(session, 'quokka', { summaries: false, sort: 'hybrid' })).toHaveLength(3);
});

test('a question finds the rows that hold its most telling words, best first, though none holds them all', async () => {
  const session = await world.newSession();
  await world.append(session.lease, [
    ...Array.from({ length: 12 }, () => at(personRow('The train was late again'), '2026-03-01T10:00:00Z')),
    at(personRow('My sister keeps a heron in the bathtub'), '2026-03-02T10:00:00Z'),
    at(assistantRow('What does she feed it?'), '2026-03-02T10:01:00Z'),
    at(personRow('Fish. The heron is called Gustav'), '2026-03-02T10:02:00Z'),
    at(personRow('The train is on time, my sister says'), '2026-03-05T10:00:00Z'),
  ]);
  const question = 'What was the name of the heron that my sister had in her bathtub when we met?';

  const found = await grep(session, question);

  if (found.kind === 'refused') throw new Error(found.reason);
  expect(found.isPartial).toBe(true);
  const places = found.hits.map((hit) => hit.kind === 'message' && hit.seq / 1024);
  expect(places[0]).toBe(13);
  expect(places).toContain(15);
  expect(await hits(session, question, { before: new Date('2026-03-02T10:01:00Z') })).toEqual(['13']);
  expect(await hits(session, question, { messages: false })).toEqual([]);
});

test('a list of few words must be there whole, and a row that has them all comes before any partial one', async () => {
  const session = await world.newSession();
  await world.append(session.lease, [personRow('a heron in a bathtub'), personRow('a heron at the lake')]);

  expect(await hits(session, 'heron bathtub sister')).toEqual([]);
  expect(await hits(session, 'heron bathtub')).toEqual(['1']);
  expect(await hits(session, 'a heron in a bathtub')).toEqual(['1']);
});

test('A42 operators mean nothing, phrases stay together, a blank query is refused, nothing throws', async () => {
  const session = await quokkas();

  expect(await hits(session, 'quokka AND smiles', { summaries: false })).toEqual([]);
  expect(await hits(session, '-quokka error', { summaries: false })).toEqual(['5']);
  expect(await hits(session, '"quokka again"', { summaries: false })).toEqual(['5']);
  expect(await hits(session, '"again quokka"', { summaries: false })).toEqual([]);
  expect(await hits(session, 'quok* : ^ & | ! ( \' " \\ \0 \ud800', { summaries: false })).toEqual([
    '5',
    '3',
    '1',
  ]);
  expect(await hits(session, 'a\0b', { mode: 'regex' })).toEqual([]);
  expect(await hits(session, '   ')).toEqual(['empty_query']);
  expect(await hits(session, '!!!')).toEqual([]);
});

test('A42 parts of paths and identifiers are found, and a word finds longer words when it finds nothing itself', async () => {
  const session = await quokkas();

  expect(await hits(session, 'config.ts', { summaries: false })).toEqual(['1']);
  expect(await hits(session, 'exec:101', { summaries: false })).toEqual(['4']);
  expect(await hits(session, 'quok', { summaries: false })).toEqual(['5', '3', '1']);
});

test('A42 Chinese and Japanese are found by any part of a run', async () => {
  const session = await quokkas();

  expect(await hits(session, '東京', { summaries: false })).toEqual(['4']);
  expect(await hits(session, 'タワー', { summaries: false })).toEqual(['4']);
  expect(await hits(session, '京', { summaries: false })).toEqual(['4']);
  expect(await hits(session, '大阪', { summaries: false })).toEqual([]);
});

test('regular expression syntax in a full-text query is refused with a reason of its own', async () => {
  const session = await quokkas();

  expect(await hits(session, 'quokka|koala')).toEqual(['regex_in_full_text']);
  expect(await hits(session, String.raw`error \d+`)).toEqual(['regex_in_full_text']);
});

test('regular expressions ignore case, work by line and stop where they are unsafe', async () => {
  const session = await quokkas();
  const regex = { mode: 'regex', summaries: false } as const;

  expect(await hits(session, String.raw`error \d{3}$`, regex)).toEqual(['5']);
  expect(await hits(session, '^quokka', regex)).toEqual(['5']);
  expect(await hits(session, String.raw`\bconfig\.ts\b`, regex)).toEqual(['1']);
  expect(await hits(session, '東京|smiles', regex)).toEqual(['4', '1']);
  expect(await hits(session, '(a+)+$', regex)).toEqual(['unsafe_regex']);
  expect(await hits(session, 'quokka', { mode: 'regex', messages: false })).toEqual(['A quokka was']);
});

test('a regular expression tells how many rows it was tried on', async () => {
  const session = await quokkas();

  expect(await grep(session, 'nothing like it', { mode: 'regex' })).toEqual({
    kind: 'found',
    hits: [],
    scanned: 5,
    isCut: false,
  });
});

test('what was taken back is not found; a summary whose compaction was undone still is', async () => {
  const session = await world.newSession();
  const rows = await world.append(session.lease, [personRow('wombat one'), personRow('two')]);
  const { compactionId } = await coverRows(world, session, rows.slice(0, 1), 'about wombats: wombat');
  await undoOf(world, session, { compactionId });
  await world.query('UPDATE messages SET active = 0, compacted = 0 WHERE session_id = $1 AND id = $2', [
    session.sessionId,
    rows[0]?.id,
  ]);

  expect(await hits(session, 'wombat', { summaries: false })).toEqual([]);
  expect(await hits(session, 'wombats', { messages: false })).toEqual(['about wombat']);
});

test('in a group only that chat is searched, in a direct chat the person’s direct sessions', async () => {
  const group = await world.newSession({ kind: 'group', chatId: 'lcm-group', userId: 'g' });
  const first = await world.newSession({ chatId: 'lcm-direct', userId: '900' });
  const second = await world.newSession({ chatId: 'lcm-direct', userId: '900' });
  const stranger = await world.newSession({ chatId: 'lcm-other', userId: '901' });
  for (const session of [group, first, second, stranger])
    await world.append(session.lease, [personRow('a numbat')]);
  const sessionsOf = async (session: TestSession, onlySessionId?: string) => {
    const scope = { sessionId: session.sessionId, ...(onlySessionId ? { onlySessionId } : {}) };
    const found = await lcmOf(world).grep(scope, {
      query: 'numbat',
      mode: 'regex',
      messages: true,
      summaries: true,
      limit: 20,
      sort: 'recency',
    });
    return found.kind === 'found' ? found.hits.map((hit) => hit.sessionId).sort() : [found.reason];
  };

  expect(await sessionsOf(group)).toEqual([group.sessionId]);
  expect(await sessionsOf(first)).toEqual([first.sessionId, second.sessionId].sort());
  expect(await sessionsOf(first, second.sessionId)).toEqual([second.sessionId]);
  expect(await sessionsOf(first, stranger.sessionId)).toEqual([]);
});

test('a message of five megabytes is found at its end, and a snippet stays short', async () => {
  const session = await world.newSession();
  await world.append(session.lease, [personRow(`${'x '.repeat(2_500_000)} needle at the end`)]);
  const found = await grep(session, 'needle', { summaries: false });

  expect(
    found.kind === 'found'
      ? found.hits.map((hit) => [hit.snippet.length <= 200, hit.snippet.includes('needle')])
      : [],
  ).toEqual([[true, true]]);
});

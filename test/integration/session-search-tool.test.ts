/** What `session_search` shows a model of a conversation before this one: each way in which a query finds a line, by itself. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sessionSearch } from '@palimpsest/agent';
import type { NewRow, ToolScope } from '@palimpsest/core';
import { assistantRow, openStoreWorld, personRow, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

let people = 0;

/** What one call answers after these lines; lines that are said `apart` are no neighbours of each other. */
async function search(rows: readonly NewRow[], input: Record<string, unknown>): Promise<string> {
  people += 1;
  const person = { userId: `person-${people}`, chatId: `person-${people}` };
  const before = await world.newSession(person);
  await world.append(before.lease, rows);
  const now = await world.newSession(person);
  const tool = sessionSearch(world.transcript, 'UTC');
  const scope = { session: { id: now.sessionId } } as ToolScope & { callId: string };
  return (await tool.run(input, scope)).text;
}

/** The lines that were found, best first, without time, name and id. */
function hitsIn(answer: string): string[] {
  return [...answer.matchAll(/^> .*?\(id \d+\): (.*)$/gm)].map(([, text]) => text!);
}

const between = Array.from({ length: 8 }, (_, index) => personRow(`nothing of note, ${index}`));

function apart(...rows: readonly (NewRow | string)[]): NewRow[] {
  return rows.flatMap((row) => [typeof row === 'string' ? personRow(row) : row, ...between]);
}

function said(text: string, at: string): NewRow {
  return { ...personRow(text), sentAt: new Date(at) };
}

function saidBy(name: string, text: string): NewRow {
  return { ...personRow(text), sender: { id: name, name } };
}

test('a word finds its other forms, and the form as it was written comes first', async () => {
  const rows = apart(
    'the painting hangs here',
    'she painted the fence',
    'I took a picture of the mice',
    'a pier',
  );

  expect(hitsIn(await search(rows, { query: 'painting' }))).toEqual([
    'the painting hangs here',
    'she painted the fence',
  ]);
  expect(hitsIn(await search(rows, { query: 'mouse' }))).toEqual(['I took a picture of the mice']);
});

test('a word that few lines have says more than one that many have', async () => {
  const gardens = Array.from({ length: 8 }, (_, index) => `the garden is green in week ${index}`);
  const rows = apart('the zeppelin is here in week 9', ...gardens);

  expect(hitsIn(await search(rows, { query: 'garden zeppelin', limit: 2 }))[0]).toBe(
    'the zeppelin is here in week 9',
  );
});

test('what somebody said comes first where the query names them', async () => {
  const rows = apart(saidBy('Ben', 'the lake is cold in June'), saidBy('Ada', 'the lake is warm in July'));

  expect(hitsIn(await search(rows, { query: "Ben's words on the lake" }))[0]).toBe(
    'the lake is cold in June',
  );
  expect(hitsIn(await search(rows, { query: "Ada's words on the lake" }))[0]).toBe(
    'the lake is warm in July',
  );
});

test('"last May" is the May before the line was said, and "yesterday" the day before it', async () => {
  const rows = apart(
    said('we moved house last May', '2023-08-01T10:00:00Z'),
    said('yesterday the boat was sold', '2024-03-10T10:00:00Z'),
    said('we moved the boat last May', '2025-08-01T10:00:00Z'),
  );

  expect(hitsIn(await search(rows, { query: 'What was moved in May 2023?' }))[0]).toBe(
    'we moved house last May',
  );
  expect(hitsIn(await search(rows, { query: 'What was moved in May 2025?' }))[0]).toBe(
    'we moved the boat last May',
  );
  expect(hitsIn(await search(rows, { query: 'What happened on 9 March 2024?' }))[0]).toBe(
    'yesterday the boat was sold',
  );
});

test('three lines on each side are shown with a hit, who said them in front', async () => {
  const rows = ['one', 'two', 'three', 'four', 'the quince', 'six', 'seven', 'eight', 'nine'].map(personRow);

  const answer = await search(rows, { query: 'quince' });

  expect(answer.replace(/\[.*?\] Ada \(id \d+\)/, '[time] Ada (id N)')).toBe(
    '  Ada: two\n  Ada: three\n  Ada: four\n> [time] Ada (id N): the quince\n  Ada: six\n  Ada: seven\n  Ada: eight',
  );
});

test('a question and its answer count for each other and are shown together', async () => {
  const rows = apart('x').concat(
    [personRow('How is the parrot?'), assistantRow('It needs more sunshine.')],
    apart('y', 'a parrot is a bird', 'there was sunshine'),
  );

  const [best] = (await search(rows, { query: 'parrot sunshine' })).split('\n\n');

  expect(best).toMatch(/Ada.*: How is the parrot\?\n.*assistant.*: It needs more sunshine\./);
});

test('a slip of the finger, and a piece out of a word, find the word that was meant', async () => {
  const rows = apart('we sailed to Zanzibar', 'the thunderstorm was loud');

  expect(hitsIn(await search(rows, { query: 'Zanzibr' }))).toEqual(['we sailed to Zanzibar']);
  expect(hitsIn(await search(rows, { query: 'understor' }))).toEqual(['the thunderstorm was loud']);
  expect(await search(rows, { query: 'xylophone' })).toBe('Nothing found. Try other or fewer words.');
});

test('Chinese and Japanese are found by a part of a line and by a question without spaces', async () => {
  const rows = apart('明日は東京タワーに行きます', '我们昨天在北京买了一辆自行车');

  expect(hitsIn(await search(rows, { query: '東京' }))).toEqual(['明日は東京タワーに行きます']);
  expect(hitsIn(await search(rows, { query: '我们在哪里买了自行车' }))[0]).toBe(
    '我们昨天在北京买了一辆自行车',
  );
});

test.each([
  ['a path', '/srv/app-2/retry_times.sql', 'app-2/retry_times.sql'],
  ['a SHA', 'it broke with 3f2a9c1d', '3f2a9c1d'],
  ['a number', 'it took 48.215 seconds', '48.215'],
  ['an error', 'TypeError: lease is not iterable', 'TypeError: lease is not iterable'],
  ['a URL', 'see https://docs.example.org/queues/leases?v=4', 'https://docs.example.org/queues/leases?v=4'],
])('%s is found among lines of the same words', async (_kind, line, query) => {
  const others = [
    'srv has an app and retries 2 times in sql',
    'commit 3f2a9c1e is fine, it broke with nothing',
    '215 seconds and 48 more',
    'lease: a type of error that is iterable',
    'docs of queues: https://docs.example.org/leases/queues?v=5',
  ];

  expect(hitsIn(await search(apart(line, ...others), { query }))[0]).toBe(line);
});

test('an answer keeps within the tokens and the hits it was given', async () => {
  const rows = apart(...Array.from({ length: 6 }, (_, index) => `pear ${index} ${'and so on '.repeat(60)}`));

  const few = await search(rows, { query: 'pear', limit: 2 });
  const short = await search(rows, { query: 'pear', max_tokens: 200 });

  expect(hitsIn(few)).toHaveLength(2);
  expect(hitsIn(short)).toHaveLength(1);
  expect(short.length).toBeLessThan(1_000);
});

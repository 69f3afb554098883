/** After an update that writes the search index in another way, older rows are found as new ones are. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSweepStore } from '../../packages/store/src/sweep/sweep-store.ts';
import {
  openStoreWorld,
  personRow,
  textsOf,
  type StoreWorld,
  type TestSession,
} from '../support/store-world.ts';

let world: StoreWorld;
let old: TestSession;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(async () => {
  await world.query('TRUNCATE sessions, chats CASCADE');
  old = await world.newSession({ userId: 'ada' });
});

const options = { limit: 10, neighbours: 0, liveOfOwnSession: true };
const found = async (query: string): Promise<string[]> =>
  textsOf(
    (await world.transcript.search({ sessionId: old.sessionId }, query, options)).map(({ row }) => row),
  );
const reindex = (mostRows = 1_000): Promise<number> => createSweepStore(world.db).reindexSearch(mostRows);

/** As a release wrote it that knew nothing but the words as they stand. */
async function indexAsOnce(): Promise<void> {
  await world.query(
    `UPDATE message_search SET tsv = ('''session:' || session_id || ''' ')::tsvector
       || array_to_tsvector(ARRAY(SELECT l FROM unnest(tsvector_to_array(tsv)) l WHERE l ~ '^[a-z]+$'))`,
  );
  await world.query('UPDATE sessions SET search_version = 0');
}

test('a row that was indexed in an older way is found by the other forms of its words', async () => {
  await world.append(old.lease, [personRow('we went ashore'), personRow('and had lunch')]);
  await indexAsOnce();
  const before = await found('going');

  const rows = await reindex();

  expect([before, rows]).toEqual([[], 2]);
  expect(await found('going')).toEqual(['we went ashore']);
  expect(await reindex()).toBe(0);
});

test('sessions are done one after the other, as many rows as a round takes', async () => {
  const others = [await world.newSession(), await world.newSession()];
  for (const { lease } of [old, ...others])
    await world.append(lease, [personRow('one boat'), personRow('two boats'), personRow('three boats')]);
  await indexAsOnce();

  const rounds = [await reindex(4), await reindex(4), await reindex(4)];

  expect(rounds).toEqual([6, 3, 0]);
  expect((await found('boats')).toSorted()).toEqual(['one boat', 'three boats', 'two boats']);
});

test('a long message keeps all its pieces, and more rows than one transaction takes are all done', async () => {
  const long = `${'plain words of no use '.repeat(900)} kumquats`;
  const lines = Array.from({ length: 250 }, (_, index) => personRow(`line ${index} of the boats`));
  await world.append(old.lease, [personRow(long), ...lines]);
  await indexAsOnce();

  const rows = await reindex();

  expect(rows).toBe(251);
  expect((await found('kumquat')).map((text) => text.endsWith('kumquats'))).toEqual([true]);
  expect(await found('"line 249"')).toEqual(['line 249 of the boats']);
});

test('what is not in the index stays out of it', async () => {
  const [row] = await world.append(old.lease, [
    personRow('the walnut is under the stairs'),
    personRow('yes'),
  ]);
  await indexAsOnce();
  await world.query('DELETE FROM message_search WHERE message_id = $1', [row!.id]);

  expect(await reindex()).toBe(1);

  expect(await found('walnut')).toEqual([]);
});

test('a new session is up to date from its beginning', async () => {
  await world.append(old.lease, [personRow('we painted the boats')]);

  expect(await reindex()).toBe(0);
  expect(await found('painting boat')).toEqual(['we painted the boats']);
});

/** A search reads the rows of its scope; what others have said costs it nothing. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fillSessions } from '@palimpsest/testkit';
import { reportAll, reportMs, rowsRead } from '../support/rows-read.ts';
import { openStoreWorld, personRow, type StoreWorld } from '../support/store-world.ts';
import { until } from '../support/until.ts';

const others = { sessions: 60, rows: 200 };
const options = { limit: 10, neighbours: 3, liveOfOwnSession: true };

/** Looks into the indexes of what can be searched so far, whichever the planner takes, and readings of all of it. */
async function looksOf(world: StoreWorld) {
  const [row] = await world.query<{ looks: string; whole: string }>(
    `SELECT (SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE relname ~ '^message_search') AS looks,
            (SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE relname ~ '^message_search') AS whole`,
  );
  return { looks: Number(row?.looks), whole: Number(row?.whole) };
}

const messageRows = (world: StoreWorld): Promise<number> => rowsRead(world.query, /^messages_[0-9]+$/);

test('one search reads a small share of the transcript rows of a database', async () => {
  await using world = await openStoreWorld();
  const own = await world.newSession({ userId: 'ada' });
  const lines = Array.from({ length: 40 }, (_, index) =>
    personRow(`pear number ${index} lies in the cellar`),
  );
  await world.append(own.lease, lines);
  await fillSessions(world.url, { after: 0, ...others, wordsOf: own.sessionId });
  const search = () => world.transcript.search({ sessionId: own.sessionId }, 'pear in the cellar', options);
  await search();
  await wait(reportMs);
  // With this one the connection reports what it kept back, of the rows that it wrote too.
  await search();
  const before = await messageRows(world);
  const looksBefore = await looksOf(world);
  await wait(reportMs);

  const hits = await search();

  await until(async () => (await messageRows(world)) > before);
  expect(hits).toHaveLength(10);
  expect((await messageRows(world)) - before).toBeLessThan((others.sessions * others.rows) / 4);
  const after = await looksOf(world);
  // One for all words of the query together, with their forms, their dates and the scope; and perhaps one for the scope's rows.
  expect(after.looks - looksBefore.looks).toBeLessThanOrEqual(2);
  expect(after.whole - looksBefore.whole).toBe(0);
});

test('each row that is found is looked up by its id, in whichever part of the table the session lies', async () => {
  await using world = await openStoreWorld();
  const sessions = [];
  for (let made = 0; made < 8; made += 1) {
    const session = await world.newSession({ userId: `person-${made}` });
    const lines = Array.from({ length: 100 }, (_, index) => personRow(`pear number ${index} of many`));
    await world.append(session.lease, lines);
    sessions.push(session);
  }
  // So many short conversations that the planner takes one for a row or two.
  await fillSessions(world.url, { after: 0, sessions: 1_500, rows: 20 });
  await reportAll(world.db.$client);
  const before = await messageRows(world);

  for (const { sessionId } of sessions)
    expect(await world.transcript.search({ sessionId }, 'pear', options)).toHaveLength(10);

  // 100 found ones each, and ten with three on either side twice: once to find them, once to read them.
  await reportAll(world.db.$client);
  const read = (await messageRows(world)) - before;
  expect(read).toBeGreaterThanOrEqual(8 * 100);
  expect(read).toBeLessThan(8 * 300);
});

/** A search reads the rows of its scope; what others have said costs it nothing. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fillSessions } from '@palimpsest/testkit';
import { openStoreWorld, personRow } from '../support/store-world.ts';
import { until } from '../support/until.ts';

const others = { sessions: 60, rows: 200 };
/** A connection that has reported its counts within this time keeps the next ones back. */
const reportMs = 1_100;

test('one search reads a small share of the transcript rows of a database', async () => {
  await using world = await openStoreWorld();
  const own = await world.newSession({ userId: 'ada' });
  const lines = Array.from({ length: 40 }, (_, index) =>
    personRow(`pear number ${index} lies in the cellar`),
  );
  await world.append(own.lease, lines);
  await fillSessions(world.url, { after: 0, ...others, wordsOf: own.sessionId });
  const read = async (): Promise<number> => {
    const [row] = await world.query<{ rows: string }>(
      `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS rows FROM pg_stat_user_tables
       WHERE relname ~ '^messages_[0-9]+$'`,
    );
    return Number(row?.rows);
  };
  const options = { limit: 10, neighbours: 3, liveOfOwnSession: true };
  const search = () => world.transcript.search({ sessionId: own.sessionId }, 'pear in the cellar', options);
  await search();
  await wait(reportMs);
  const before = await read();

  const hits = await search();

  await until(async () => (await read()) > before);
  expect(hits).toHaveLength(10);
  expect((await read()) - before).toBeLessThan((others.sessions * others.rows) / 4);
});

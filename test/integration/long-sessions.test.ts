/** What a conversation with a long past costs in a database of many short ones. */
import { expect, test } from 'vitest';
import { migrate } from '@palimpsest/store';
import { fillGraphs, fillSessions } from '@palimpsest/testkit';
import { applyPlan } from '../support/compacted-sessions.ts';
import { createTestDatabase } from '../support/database.ts';
import { lcmOf, lcmPlan, makeCondensed, makeLeaf } from '../support/lcm.ts';
import { reportAll, rowsRead } from '../support/rows-read.ts';
import { spokenLines } from '../support/spoken-lines.ts';
import { openStoreWorld } from '../support/store-world.ts';

const leaves = 1_000;
/** Creation of 0024_turn_traceparent. */
const beforeLongSessions = 1_796_052_345_168;
const others = { after: 0, sessions: 1_500, rows: 20 };

test('a summary is put in the place of ten others without a look at the thousand around them', async () => {
  await using world = await openStoreWorld();
  const { session, rows } = await spokenLines(world, leaves);
  const summaries = rows.map((row) => makeLeaf(session.sessionId, [row], `about line ${row.id}`));
  const addItems = summaries.map(({ id }, index) => ({ summaryId: id, ordinal: rows[index]?.seq ?? 0 }));
  await applyPlan(world, session, lcmPlan({ summaries, addItems }, { archive: rows.map((row) => row.id) }));
  await fillSessions(world.url, others);
  await fillGraphs(world.url, others);
  const { items } = await lcmOf(world).load(session.sessionId);
  const graphRows = (): Promise<number> =>
    rowsRead(world.query, /^lcm_(summaries|summary_sources|context_items)$/);
  const condense = (from: number): Promise<unknown> => {
    const sources = items.slice(from, from + 10);
    const node = makeCondensed(session.sessionId, sources, `ten from ${from} on`);
    const place = [{ summaryId: node.id, ordinal: sources[0]?.ordinal ?? 0 }];
    const change = { summaries: [node], removeItems: node.sourceIds, addItems: place };
    return applyPlan(world, session, lcmPlan(change));
  };
  // More often than a statement is planned for its values, one after the other and so on one connection.
  for (let from = 0; from < 80; from += 10) await condense(from);
  await reportAll(world.db.$client);
  const before = await graphRows();

  await condense(80);
  await condense(90);

  await reportAll(world.db.$client);
  const read = (await graphRows()) - before;
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(leaves / 2);
});

test('whatever is kept by session is planned for a session of a thousand rows', async () => {
  await using world = await openStoreWorld();

  const forgotten = await world.query(
    `SELECT DISTINCT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] AND a.attname = 'session_id'
     WHERE i.indnkeyatts > 1 AND a.attnotnull AND c.relnamespace = 'public'::regnamespace
       AND NOT coalesce(a.attoptions, '{}') @> ARRAY['n_distinct=-0.001']`,
  );

  // A table that a migration adds takes the setting in the same migration: see 0025_long_sessions.sql.
  expect(forgotten).toEqual([]);
});

test('a database that has grown before counts with long sessions as soon as it is migrated', async () => {
  await using database = await createTestDatabase({ migrated: false });
  await migrate(database.url, { upTo: beforeLongSessions });
  await fillSessions(database.url, others);

  await migrate(database.url);

  await using world = await openStoreWorld(database);
  const known = await world.query(
    `SELECT DISTINCT n_distinct FROM pg_stats WHERE attname = 'session_id' AND tablename ~ '^message(s|_search)_[0-9]+$'`,
  );
  expect(known).toEqual([{ n_distinct: -0.001 }]);
});

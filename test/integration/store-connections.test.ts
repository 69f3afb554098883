import { silentLogger } from '@palimpsest/core';
import { openStore } from '@palimpsest/store';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { arrive, messageUpdate, policy } from '../support/intake.ts';
import { lockWaits } from '../support/lock-waits.ts';

test('a store whose database is not there says so at once', async () => {
  const opened = openStore({ databaseUrl: 'postgres://nobody@127.0.0.1:9/none', logger: silentLogger });

  await expect(opened).rejects.toMatchObject({ code: 'database_unavailable', retryable: true });
});

test('after every connection was cut the store goes on, and a message that was told as failed is stored once', async () => {
  await using database = await createTestDatabase();
  const store = await openStore({ databaseUrl: database.url, logger: silentLogger, poolSize: 3 });
  const operator = new pg.Client({ connectionString: database.url });
  await operator.connect();
  await arrive(store, messageUpdate(1, 'before'));
  const blocked = 'LOCK TABLE mailbox IN ACCESS EXCLUSIVE MODE';
  await operator.query('BEGIN');
  await operator.query(blocked);

  const caught = store.intake
    .storeUpdates(policy(), [messageUpdate(2, 'caught')])
    .catch((error: unknown) => error);
  await expect.poll(() => lockWaits(async (text) => (await operator.query(text)).rows)).toBe(1);
  await operator.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  const error = await caught;
  await operator.query('COMMIT');
  const results = await store.intake.storeUpdates(policy(), [messageUpdate(2, 'caught')]);
  const rows = await operator.query('SELECT count(*)::int AS rows FROM mailbox');

  expect(error).toMatchObject({ code: 'database_unavailable', retryable: true });
  expect(results).toMatchObject([{ result: 'stored' }]);
  expect(rows.rows).toEqual([{ rows: 2 }]);
  await operator.end();
  await store.close();
});

test('without its schema the database stores nothing, so nothing is confirmed', async () => {
  await using database = await createTestDatabase({ migrated: false });
  const store = await openStore({ databaseUrl: database.url, logger: silentLogger });

  const stored = store.intake.storeUpdates(policy(), [messageUpdate(1, 'hello')]);

  await expect(stored).rejects.toMatchObject({ code: 'database_error' });
  await store.close();
});

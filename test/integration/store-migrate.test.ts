import { migrate } from '@palimpsest/store';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

test('three programs that start at once migrate once', async () => {
  await using database = await createTestDatabase({ migrated: false });

  const results = await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);

  expect(results.filter((result) => result.applied > 0)).toHaveLength(1);
  expect(await migrate(database.url)).toEqual({ applied: 0 });
});

test('messages and their search pieces are sixteen partitions, progress is unlogged', async () => {
  await using database = await createTestDatabase();

  const partitions = await query(
    database.url,
    `SELECT inhparent::regclass::text AS parent, count(*)::int AS parts FROM pg_inherits
     WHERE inhparent::regclass::text IN ('messages', 'message_search') GROUP BY 1 ORDER BY 1`,
  );
  const progress = await query(
    database.url,
    `SELECT relpersistence FROM pg_class WHERE relname = 'turn_progress'`,
  );

  expect(partitions).toEqual([
    { parent: 'message_search', parts: 16 },
    { parent: 'messages', parts: 16 },
  ]);
  expect(progress).toEqual([{ relpersistence: 'u' }]);
});

test('every key of a session table begins with the session', async () => {
  // Four tables only name a session: they belong to a chat, to a platform, or to the operators.
  await using database = await createTestDatabase();

  const others = await query(
    database.url,
    `SELECT i.indrelid::regclass::text AS owner, i.indexrelid::regclass::text AS key
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     JOIN pg_attribute s ON s.attrelid = i.indrelid AND s.attname = 'session_id'
     WHERE i.indisunique AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace AND i.indkey[0] <> s.attnum
       AND c.relname NOT IN ('chats', 'chat_members', 'inbox', 'operator_actions')`,
  );

  expect(others).toEqual([]);
});

test('a database of a newer version is refused with what to do', async () => {
  await using database = await createTestDatabase();
  await query(
    database.url,
    `INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('of-tomorrow', 4102444800000)`,
  );

  await expect(migrate(database.url)).rejects.toMatchObject({
    code: 'schema_too_new',
    message: expect.stringMatching(/1 migrations .*2100-01-01.*start the newer version/) as string,
  });
});

test('a database that is not there is told as such', async () => {
  await expect(migrate('postgres://nobody@127.0.0.1:9/none')).rejects.toMatchObject({
    code: 'database_unavailable',
    retryable: true,
    message: expect.stringContaining('ECONNREFUSED') as string,
  });
});

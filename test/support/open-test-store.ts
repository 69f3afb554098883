/** A store on a migrated database of its own, with plain SQL beside it. */
import { silentLogger, type Store } from '@palimpsest/core';
import { openStore } from '@palimpsest/store';
import pg from 'pg';
import { createTestDatabase } from './database.ts';

export interface TestStore extends AsyncDisposable {
  store: Store;
  url: string;
  /** Rows as plain objects; bigint columns are text. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

export async function openTestStore(): Promise<TestStore> {
  const database = await createTestDatabase();
  const store = await openStore({ databaseUrl: database.url, logger: silentLogger, poolSize: 4 });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return {
    store,
    url: database.url,
    async sql(text, values) {
      const result = await client.query<Record<string, unknown>>(text, values);
      return result.rows;
    },
    async [Symbol.asyncDispose]() {
      await client.end();
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A database server that goes away without a word. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { silentLogger } from '@palimpsest/core';
import { openChaosDoor } from '../../apps/evals/src/chaos/chaos-door.ts';
import { openDatabase, run, transaction } from '../../packages/store/src/database.ts';
import { createTestDatabase } from '../support/database.ts';

test('a transaction that is never answered fails after a while, and the next one goes through', async () => {
  await using database = await createTestDatabase();
  const url = new URL(database.url);
  const port = Number(url.port);
  await using door = await openChaosDoor(() => port);
  url.port = String(door.port);
  url.hostname = '127.0.0.1';
  url.search = '';
  const db = openDatabase({ databaseUrl: url.href, logger: silentLogger, poolSize: 1, answerMs: 300 });
  const ask = () => transaction(db, (tx) => run<{ one: number }>(tx, sql`SELECT 1 AS one`));
  expect(await ask()).toEqual([{ one: 1 }]);

  door.set({ kind: 'slow', delayMs: 3_600_000 });
  const silent = await ask().catch((error: unknown) => error);
  door.set({ kind: 'open' });

  expect(silent).toMatchObject({ code: 'database_unavailable', retryable: true });
  expect(await ask()).toEqual([{ one: 1 }]);
  await db.$client.end();
});

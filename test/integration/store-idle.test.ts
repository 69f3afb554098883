import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());

/** A session whose last change is `seconds` ago; `more` sets further columns. */
async function session(id: string, seconds: number, more = ''): Promise<void> {
  await world.sql(
    `INSERT INTO sessions (id, engine, platform, account, chat_kind, chat_row_id, updated_at)
     VALUES ($1, 'compressor', 'local', 'local', 'direct', 1, now() - $2 * interval '1 s')`,
    [id, seconds],
  );
  if (more) await world.sql(`UPDATE sessions SET ${more} WHERE id = $1`, [id]);
}

test('sessions quiet for long enough are found, latest first; busy, ended and looked-at ones are not', async () => {
  await session('long-quiet', 500);
  await session('quiet', 100);
  await session('just-active', 5);
  await session('held', 100, `lease_owner = 'w', lease_until = now() + interval '1 min'`);
  await session('lease-expired', 200, `lease_owner = 'w', lease_until = now() - interval '1 min'`);
  await session('ended', 100, 'closed_at = now()');
  await session('looked-at', 100, 'idle_checked_at = now()');

  expect(await world.store.sweep.idleSessions(60, 10)).toEqual(['quiet', 'lease-expired', 'long-quiet']);
  expect(await world.store.sweep.idleSessions(60, 1)).toEqual(['quiet']);
});

test('a session that was looked at is found again only after it changed', async () => {
  await world.sql('DELETE FROM sessions');
  await session('s', 100);
  await world.store.compactions.idleSeen('s');
  const seen = await world.store.sweep.idleSessions(0, 10);
  await world.sql(`UPDATE sessions SET updated_at = clock_timestamp() WHERE id = 's'`);

  expect(seen).toEqual([]);
  expect(await world.store.sweep.idleSessions(0, 10)).toEqual(['s']);
});

test('idle sessions are found through an index of those not looked at, whatever the number of sessions', async () => {
  await world.sql('DELETE FROM sessions');
  await world.sql(
    `INSERT INTO sessions (id, engine, platform, account, chat_kind, chat_row_id, idle_checked_at)
     SELECT 'n' || n, 'compressor', 'local', 'local', 'direct', 1, now() + interval '1 s' FROM generate_series(1, 3000) n`,
  );
  await session('s', 100);
  await world.sql('ANALYZE sessions');
  const plan = await world.sql(
    `EXPLAIN SELECT id FROM sessions
     WHERE closed_at IS NULL AND (idle_checked_at IS NULL OR idle_checked_at < updated_at)
       AND updated_at <= now() - 60::float8 * interval '1 s'
       AND (lease_until IS NULL OR lease_until <= clock_timestamp())
     ORDER BY updated_at DESC LIMIT 50`,
  );

  expect(JSON.stringify(plan)).toContain('sessions_idle');
  expect(await world.store.sweep.idleSessions(60, 50)).toEqual(['s']);
});

/** leases: one row a name. All times are the database's. */
import type { LeaseStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne } from './database.ts';

export function createLeaseStore(db: Database): LeaseStore {
  return {
    acquire: (name, owner, ttlMs) => acquire(db, { name, owner, ttlMs }),
    async release(name, owner) {
      await run(db, sql`DELETE FROM leases WHERE name = ${name} AND owner = ${owner}`, 'release_lease');
    },
    async holder(name) {
      const row = await runOne<{ owner: string; expires_in_ms: number }>(
        db,
        sql`SELECT owner, (extract(epoch FROM until - clock_timestamp()) * 1000)::int AS expires_in_ms
            FROM leases WHERE name = ${name} AND until > clock_timestamp()`,
        'lease_holder',
      );
      return row === null ? null : { owner: row.owner, expiresInMs: row.expires_in_ms };
    },
    async endAll() {
      await run(db, sql`DELETE FROM leases`);
      await run(db, sql`UPDATE sessions SET lease_until = now() WHERE lease_until > now()`);
    },
  };
}

// clock_timestamp, not now: the statement may have waited for another holder's row lock.
async function acquire(
  db: Database,
  wanted: { name: string; owner: string; ttlMs: number },
): Promise<boolean> {
  const row = await runOne(
    db,
    sql`INSERT INTO leases AS l (name, owner, until)
        VALUES (${wanted.name}, ${wanted.owner}, clock_timestamp() + ${wanted.ttlMs}::int * interval '1 ms')
        ON CONFLICT (name) DO UPDATE
        SET owner = EXCLUDED.owner, until = clock_timestamp() + ${wanted.ttlMs}::int * interval '1 ms'
        WHERE l.owner = EXCLUDED.owner OR l.until <= clock_timestamp()
        RETURNING l.name`,
    'acquire_lease',
  );
  return row !== null;
}

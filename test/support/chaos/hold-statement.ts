/** Stops programs inside one statement, so that a kill hits exactly there. */
import pg from 'pg';
import { vi } from 'vitest';

/** Any constant; the lock is per database, and every test has its own. */
const lockKey = 77_001;

export interface StatementPoint {
  readonly table: string;
  readonly event: 'INSERT' | 'UPDATE';
  /** SQL over NEW; default: every row. */
  readonly when?: string;
}

export interface HeldStatement extends AsyncDisposable {
  /** Resolves when a program waits there. */
  reached(): Promise<void>;
  /** Undo what waits (its program is dead, or learns that its connection broke) and let later ones pass. */
  release(): Promise<void>;
}

/** From now on, whoever writes such a row waits before it is written. */
export async function holdStatement(databaseUrl: string, point: StatementPoint): Promise<HeldStatement> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // Where a test fails, its database may go away first: that is no error of its own.
  client.on('error', () => {});
  await client.connect();
  await client.query(`SELECT pg_advisory_lock(${lockKey})`);
  await client.query(`
    CREATE OR REPLACE FUNCTION chaos_hold() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(${lockKey}); RETURN NEW; END $$`);
  const when = point.when === undefined ? '' : `WHEN (${point.when})`;
  await client.query(
    `CREATE TRIGGER chaos_hold BEFORE ${point.event} ON ${point.table} FOR EACH ROW ${when} EXECUTE FUNCTION chaos_hold()`,
  );
  let held = true;

  async function waiting(): Promise<number[]> {
    const found = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = ${lockKey}
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return found.rows.map((row) => row.pid);
  }

  async function release(): Promise<void> {
    if (!held) return;
    held = false;
    await letGo().finally(() => client.end());
  }

  async function letGo(): Promise<void> {
    for (const pid of await waiting()) await client.query('SELECT pg_terminate_backend($1)', [pid]);
    await vi.waitFor(
      async () => {
        if ((await waiting()).length > 0) throw new Error('a cut connection still waits');
      },
      { interval: 10, timeout: 10_000 },
    );
    await client.query(`DROP TRIGGER chaos_hold ON ${point.table}`);
  }

  return {
    reached: () =>
      vi.waitFor(
        async () => {
          if ((await waiting()).length === 0) throw new Error(`nobody writes to ${point.table}`);
        },
        { interval: 10, timeout: 20_000 },
      ),
    release,
    [Symbol.asyncDispose]: release,
  };
}

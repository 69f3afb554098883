/** Brings the database to the schema this code knows. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GatewayError, silentLogger } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as runMigrations } from 'drizzle-orm/node-postgres/migrator';
import type pg from 'pg';
import { openDatabase, run } from './database.ts';
import { toDatabaseError } from './database-error.ts';

const migrationsFolder = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** Any constant will do; every process that migrates this database must use the same. */
const lockKey = 7_210_424_001;

interface Journal {
  entries: readonly { when: number; tag: string }[];
}

/**
 * Run the migrations that are missing; several processes may call it at once, one of them does the work. `upTo` is the
 * creation time of the last one to run; left out: all.
 *
 * returns  how many were run now
 * throws   schema_too_new when the database was migrated by newer code; database_unavailable
 */
export async function migrate(
  databaseUrl: string,
  options: { upTo?: number } = {},
): Promise<{ applied: number }> {
  const db = openDatabase({ databaseUrl, logger: silentLogger, poolSize: 1, answerMs: 0 });
  try {
    const client = await db.$client.connect();
    try {
      return await migrateLocked(client, options.upTo ?? Infinity);
    } finally {
      client.release();
    }
  } catch (thrown) {
    throw toDatabaseError(thrown);
  } finally {
    await db.$client.end();
  }
}

// drizzle's migrate takes no lock: of three at once two failed. The lock is of this connection and ends with it.
async function migrateLocked(client: pg.PoolClient, upTo: number): Promise<{ applied: number }> {
  await client.query('SET statement_timeout = 0');
  await client.query('SELECT pg_advisory_lock($1)', [lockKey]);
  try {
    const db = drizzle({ client });
    const before = await appliedMigrations(db);
    refuseNewer(before);
    using folder = migrationsUpTo(upTo);
    await runMigrations(db, { migrationsFolder: folder.path });
    const after = await appliedMigrations(db);
    return { applied: after.length - before.length };
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [lockKey]);
  }
}

/** drizzle runs what a folder's journal names: for less than all of it, a copy with a shorter journal. */
function migrationsUpTo(upTo: number): { path: string; [Symbol.dispose](): void } {
  const journal = readJournal();
  const entries = journal.entries.filter(({ when }) => when <= upTo);
  if (entries.length === journal.entries.length)
    return { path: migrationsFolder, [Symbol.dispose]: () => {} };
  const path = mkdtempSync(join(tmpdir(), 'palimpsest-migrations-'));
  cpSync(migrationsFolder, path, { recursive: true });
  writeFileSync(join(path, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries }));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Creation times (ms) of the migrations this database has, oldest first; empty for a new one. */
export async function appliedMigrations(db: Parameters<typeof run>[0]): Promise<readonly number[]> {
  const there = await run<{ name: string | null }>(
    db,
    sql`SELECT to_regclass('drizzle.__drizzle_migrations')::text AS name`,
  );
  if (there[0]?.name == null) return [];
  const rows = await run<{ when: number }>(
    db,
    sql`SELECT created_at::float8 AS "when" FROM drizzle.__drizzle_migrations ORDER BY created_at`,
  );
  return rows.map((row) => row.when);
}

/** Creation times (ms) of the migrations this code knows, oldest first. */
export function knownMigrations(): readonly number[] {
  return readJournal().entries.map((entry) => entry.when);
}

function readJournal(): Journal {
  return JSON.parse(readFileSync(`${migrationsFolder}/meta/_journal.json`, 'utf8')) as Journal;
}

function refuseNewer(applied: readonly number[]): void {
  const known = new Set(knownMigrations());
  const unknown = applied.filter((when) => !known.has(when));
  if (unknown.length === 0) return;
  const newest = new Date(unknown.at(-1) ?? 0).toISOString();
  throw new GatewayError(
    'schema_too_new',
    `the database has ${unknown.length} migrations this version does not know (newest ${newest}); ` +
      'start the newer version again, or restore the database as it was before',
  );
}

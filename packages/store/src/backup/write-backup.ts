/** The whole database as lines of text, as it stood at one moment. */
import { appliedMigrations } from '../migrate.ts';
import { openDatabase } from '../database.ts';
import { toDatabaseError } from '../database-error.ts';
import { GatewayError, silentLogger } from '@palimpsest/core';
import { backupTables, type BackupTable } from './backup-tables.ts';
import type pg from 'pg';

const rowsAtOnce = 500;

/** First line of a backup. Then a line for each table with its columns, its rows, one a line, and a last line with the count. */
export interface BackupHead {
  palimpsest: 'backup';
  version: 1;
  takenAt: string;
  /** Creation times of the migrations that had run. */
  migrations: readonly number[];
}

/**
 * Lines of a backup, each without its end. Everything is read in one snapshot, so that a running service goes on meanwhile.
 * Numbers and times pass through as the database writes them. `onRows` hears how many rows were read so far.
 * throws database_unavailable
 */
export async function* backupLines(
  databaseUrl: string,
  onRows: (rows: number) => void = () => {},
): AsyncGenerator<string> {
  const db = openDatabase({ databaseUrl, logger: silentLogger, poolSize: 1, answerMs: 0 });
  try {
    const migrations = await appliedMigrations(db);
    if (migrations.length === 0)
      throw new GatewayError('database_unavailable', 'the database is empty; there is nothing to back up.');
    const head: BackupHead = {
      palimpsest: 'backup',
      version: 1,
      takenAt: new Date().toISOString(),
      migrations,
    };
    yield JSON.stringify(head);
    const client = await db.$client.connect();
    try {
      yield* snapshot(client, onRows);
    } finally {
      client.release(true);
    }
  } catch (thrown) {
    throw toDatabaseError(thrown);
  } finally {
    await db.$client.end();
  }
}

async function* snapshot(client: pg.PoolClient, onRows: (rows: number) => void): AsyncGenerator<string> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query('SET LOCAL statement_timeout = 0');
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  let rows = 0;
  for (const table of await backupTables(client)) {
    yield JSON.stringify({ table: table.name, columns: table.columns });
    for await (const line of rowsOf(client, table)) {
      rows += 1;
      if (rows % rowsAtOnce === 0) onRows(rows);
      yield line;
    }
  }
  yield JSON.stringify({ end: true, rows });
}

async function* rowsOf(client: pg.PoolClient, { name, columns }: BackupTable): AsyncGenerator<string> {
  const list = columns.map((column) => `"${column}"`).join(', ');
  await client.query(
    `DECLARE backup_rows NO SCROLL CURSOR FOR SELECT row_to_json(one)::text AS line FROM (SELECT ${list} FROM "${name}") one`,
  );
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`FETCH ${rowsAtOnce} FROM backup_rows`);
    for (const { line } of rows) yield line;
    if (rows.length < rowsAtOnce) break;
  }
  await client.query('CLOSE backup_rows');
}

/** Fills an empty database from the lines of a backup. */
import { GatewayError, silentLogger } from '@palimpsest/core';
import type pg from 'pg';
import { openDatabase } from '../database.ts';
import { toDatabaseError } from '../database-error.ts';
import { knownMigrations, migrate } from '../migrate.ts';
import { backupTables } from './backup-tables.ts';
import type { BackupHead } from './write-backup.ts';

const rowsAtOnce = 200;

/**
 * Bring the database to the schema of the backup, fill it, then bring it to the schema of this code. One transaction: a
 * backup that is cut off or broken leaves the database empty.
 *
 * returns  how many rows were written
 * throws   input_invalid when the lines are no whole backup, or the database holds sessions already; schema_too_new
 */
export async function restoreBackup(
  databaseUrl: string,
  lines: AsyncIterable<string>,
  onRows: (rows: number) => void = () => {},
): Promise<{ rows: number }> {
  const iterator = lines[Symbol.asyncIterator]();
  const head = readHead((await iterator.next()).value);
  const newest = head.migrations.at(-1) ?? 0;
  await migrate(databaseUrl, { upTo: newest });
  const db = openDatabase({ databaseUrl, logger: silentLogger, poolSize: 1, answerMs: 0 });
  try {
    const client = await db.$client.connect();
    try {
      const rows = await fill(client, { [Symbol.asyncIterator]: () => iterator }, onRows);
      await client.query('COMMIT');
      return { rows };
    } catch (thrown) {
      await client.query('ROLLBACK').catch(() => {});
      throw thrown;
    } finally {
      client.release(true);
    }
  } catch (thrown) {
    throw toDatabaseError(thrown);
  } finally {
    await db.$client.end();
    await migrate(databaseUrl);
  }
}

function readHead(line: string | undefined): BackupHead {
  const head = parsed(line) as Partial<BackupHead> | null;
  if (head?.palimpsest !== 'backup' || head.version !== 1 || !Array.isArray(head.migrations))
    throw broken('its first line is not that of a backup of this program');
  const known = new Set(knownMigrations());
  const unknown = head.migrations.filter((when) => !known.has(when));
  if (unknown.length === 0) return head as BackupHead;
  throw new GatewayError(
    'schema_too_new',
    `the backup was taken by a newer version (${unknown.length} migrations that this one does not know). Restore it with that version.`,
  );
}

async function fill(
  client: pg.PoolClient,
  lines: AsyncIterable<string>,
  onRows: (rows: number) => void,
): Promise<number> {
  await client.query('BEGIN');
  await client.query('SET LOCAL statement_timeout = 0');
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  await refuseUsed(client);
  const names = (await backupTables(client)).map(({ name }) => `"${name}"`);
  await client.query(`TRUNCATE ${names.join(', ')} CASCADE`);
  const filler = new Filler(client, onRows);
  for await (const line of lines) {
    if (await filler.take(line)) break;
  }
  const rows = await filler.end();
  await followSequences(client);
  return rows;
}

async function refuseUsed(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ used: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM sessions) OR EXISTS (SELECT 1 FROM inbox) AS used',
  );
  if (!rows[0]?.used) return;
  throw new GatewayError(
    'input_invalid',
    'the database holds conversations already; nothing was changed. Restore into an empty one (another PALIMPSEST_DATA or DATABASE_URL).',
  );
}

/** Rows of one table at a time, some hundred a statement. */
class Filler {
  readonly #client: pg.PoolClient;
  readonly #onRows: (rows: number) => void;
  #table: { name: string; columns: string } | null = null;
  #waiting: string[] = [];
  #rows = 0;
  #isWhole = false;

  constructor(client: pg.PoolClient, onRows: (rows: number) => void) {
    this.#client = client;
    this.#onRows = onRows;
  }

  /** True at the last line. */
  async take(line: string): Promise<boolean> {
    if (line.startsWith('{"table":')) {
      await this.#flush();
      this.#table = await this.#open(line);
    } else if (line.startsWith('{"end":')) {
      await this.#flush();
      const { rows } = parsed(line) as { rows?: number };
      this.#isWhole = rows === this.#rows;
    } else {
      if (!this.#table) throw broken('a row stands before the name of its table');
      this.#waiting.push(line);
      if (this.#waiting.length >= rowsAtOnce) await this.#flush();
    }
    return this.#isWhole;
  }

  async end(): Promise<number> {
    if (!this.#isWhole) throw broken('its end is missing: it was cut off, or lines are lost');
    return this.#rows;
  }

  async #open(line: string): Promise<{ name: string; columns: string }> {
    const { table, columns } = parsed(line) as { table: string; columns: readonly string[] };
    const there = (await backupTables(this.#client)).find(({ name }) => name === table);
    const unknown = columns.filter((column) => !there?.columns.includes(column));
    if (!there || unknown.length > 0) throw broken(`it names ${table}, which is another table here`);
    return { name: table, columns: columns.map((column) => `"${column}"`).join(', ') };
  }

  async #flush(): Promise<void> {
    if (this.#waiting.length === 0 || !this.#table) return;
    const { name, columns } = this.#table;
    await this.#client.query(
      `INSERT INTO "${name}" (${columns}) OVERRIDING SYSTEM VALUE
       SELECT ${columns} FROM json_populate_recordset(NULL::"${name}", $1::json)`,
      [`[${this.#waiting.join(',')}]`],
    );
    this.#rows += this.#waiting.length;
    this.#waiting = [];
    this.#onRows(this.#rows);
  }
}

/** What is written from now on gets ids behind those of the backup: of a sequence that a table owns, and of one that a default names. */
async function followSequences(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `SELECT c.relname AS "table", a.attname AS "column",
       coalesce(pg_get_serial_sequence(quote_ident(c.relname), a.attname),
         substring(pg_get_expr(d.adbin, d.adrelid) FROM 'nextval\\(''(.+)''::regclass\\)')) AS sequence
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND (a.attidentity <> '' OR pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%') AND c.relname NOT LIKE 'bullmq%'`,
  );
  for (const { table, column, sequence } of rows)
    await client.query(
      `SELECT setval($1::regclass, greatest(1, (SELECT coalesce(max("${column}"), 0) FROM "${table}")), EXISTS (SELECT 1 FROM "${table}"))`,
      [sequence],
    );
}

function parsed(line: string | undefined): unknown {
  try {
    return JSON.parse(line ?? '');
  } catch {
    return null;
  }
}

function broken(why: string): GatewayError {
  return new GatewayError('input_invalid', `this is no whole backup: ${why}. Nothing was changed.`);
}

/** A database that says "disk full" (SQLSTATE 53100) at inserts into chosen tables, without a full disk. */
import pg from 'pg';

export interface FullDisk extends AsyncDisposable {
  /** Inserts refused so far. */
  refused(): Promise<number>;
  /** There is room again. */
  free(): Promise<void>;
}

/**
 * From now on every insert into `table` fails as it does on a full disk.
 *
 * when  SQL over NEW; default: every row
 */
export async function fillDisk(
  databaseUrl: string,
  { table, when }: { table: string; when?: string },
): Promise<FullDisk> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A test that failed drops its database under us.
  client.on('error', () => {});
  await client.connect();
  // A sequence counts also what is rolled back.
  await client.query(`
    CREATE SEQUENCE disk_refusals;
    CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM nextval('disk_refusals');
      RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = '53100';
    END $$;
    CREATE TRIGGER disk_is_full BEFORE INSERT ON ${table} FOR EACH ROW
      ${when === undefined ? '' : `WHEN (${when})`} EXECUTE FUNCTION disk_is_full()`);
  let full = true;

  async function free(): Promise<void> {
    if (!full) return;
    full = false;
    await client.query(
      `DROP TRIGGER disk_is_full ON ${table}; DROP FUNCTION disk_is_full; DROP SEQUENCE disk_refusals`,
    );
    await client.end();
  }

  return {
    free,
    async refused() {
      const { rows } = await client.query<{ count: string }>(
        'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS count FROM disk_refusals',
      );
      return Number(rows[0]?.count);
    },
    [Symbol.asyncDispose]: free,
  };
}

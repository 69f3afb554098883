/** How many rows of tables were read so far, as far as connections have reported it. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';

/** A connection that has reported its counts within this time keeps the next ones back. */
export const reportMs = 1_100;

/** Let every connection of the pool report what it kept back: each does with its next statement, whoever used it before. */
export async function reportAll(pool: Pool): Promise<void> {
  await wait(reportMs);
  await Promise.all(Array.from({ length: pool.options.max }, () => pool.query('SELECT pg_sleep(0.1)')));
}

/** Sums over the tables whose name matches the pattern; rows that were written count as well where an index led to them. */
export async function rowsRead(
  query: (text: string, values: unknown[]) => Promise<Record<string, unknown>[]>,
  tables: RegExp,
): Promise<number> {
  const [row] = await query(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS rows FROM pg_stat_user_tables WHERE relname ~ $1`,
    [tables.source],
  );
  return Number(row?.['rows']);
}

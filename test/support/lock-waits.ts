/** How many statements of the database wait for a lock; also for whoever asks again within a transaction, which else remembers. */
export async function lockWaits(
  query: (text: string) => Promise<Record<string, unknown>[]>,
): Promise<number> {
  await query('SELECT pg_stat_clear_snapshot()');
  const [row] = await query(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return Number(row?.['count']);
}

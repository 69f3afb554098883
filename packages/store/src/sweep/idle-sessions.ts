/** Sessions that went quiet. */
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

/** The second line of the condition is that of the partial index `sessions_idle`, word for word. */
export async function idleSessions(
  db: Database,
  idleSeconds: number,
  limit: number,
): Promise<readonly string[]> {
  const rows = await run<{ id: string }>(
    db,
    sql`SELECT id FROM sessions
        WHERE closed_at IS NULL AND (idle_checked_at IS NULL OR idle_checked_at < updated_at)
          AND updated_at <= now() - ${idleSeconds}::float8 * interval '1 s'
          AND (lease_until IS NULL OR lease_until <= clock_timestamp())
        ORDER BY updated_at DESC LIMIT ${limit}::int`,
    'idle_sessions',
  );
  return rows.map((row) => row.id);
}

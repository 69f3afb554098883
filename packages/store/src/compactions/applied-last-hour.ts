/** compactions: how often a session was condensed by itself lately. */
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';

/** Automatic compactions applied in the last hour; reads the newest `atMost` rows only, so that it stays cheap. */
export async function appliedLastHour(db: Database, sessionId: string, atMost: number): Promise<number> {
  const row = await runOne<{ applied: number }>(
    db,
    sql`SELECT count(*)::int AS applied FROM (
        SELECT k.finished_at FROM compactions k
        WHERE k.session_id = ${sessionId} AND k.outcome IN ('success', 'deterministic', 'ineffective')
          AND k.figures IS NOT NULL AND k.layer IN ('hygiene', 'agent', 'background', 'overflow')
        ORDER BY k.id DESC LIMIT ${atMost}::int
      ) newest WHERE newest.finished_at > now() - interval '1 hour'`,
    'applied_last_hour',
  );
  return row?.applied ?? 0;
}

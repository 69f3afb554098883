/** Sessions that have something to do and nobody doing it. */
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';
import { waitsForMedia } from '../media/take-media.ts';

const leaseIsFree = sql.raw(`(s.lease_until IS NULL OR s.lease_until <= clock_timestamp())`);

/**
 * Due mailbox rows, signals, commands and turns left by a dead holder; the lease is free or expired. Oldest first.
 * The lease is looked at while scanning: else a long mailbox of a busy session would hide all others.
 */
export async function sessionsToWake(db: Database, limit: number): Promise<readonly string[]> {
  const rows = await run<{ session_id: string }>(
    db,
    sql`WITH candidates AS (
          (SELECT b.session_id, b.not_before AS since FROM mailbox b JOIN sessions s ON s.id = b.session_id
            WHERE b.state = 'pending' AND b.kind <> 'edit' AND b.not_before <= now() AND NOT ${waitsForMedia}
              AND ${leaseIsFree}
            ORDER BY b.not_before LIMIT ${limit * 20}::int)
          UNION ALL
          (SELECT b.session_id, b.accepted_at FROM mailbox b JOIN sessions s ON s.id = b.session_id
            WHERE b.state = 'claimed' AND b.turn_id IS NULL AND ${leaseIsFree} LIMIT ${limit}::int)
          UNION ALL
          (SELECT g.session_id, g.created_at FROM signals g JOIN sessions s ON s.id = g.session_id
            WHERE ${leaseIsFree} LIMIT ${limit}::int)
          UNION ALL
          (SELECT t.session_id, t.attempted_at FROM turns t JOIN sessions s ON s.id = t.session_id
            WHERE t.state = 'running' AND ${leaseIsFree} LIMIT ${limit}::int))
        SELECT session_id FROM candidates GROUP BY session_id ORDER BY min(since) LIMIT ${limit}::int`,
    'sessions_to_wake',
  );
  return rows.map((row) => row.session_id);
}

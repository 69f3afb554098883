/** Who works on a session, and what went wrong in it last. */
import type { SessionHold } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';

interface HoldRecord {
  epoch: number;
  holder: string | null;
  held_until: Date | null;
  what: string | null;
  at: Date | null;
}

export async function sessionHold(db: Database, sessionId: string): Promise<SessionHold | null> {
  const row = await runOne<HoldRecord>(
    db,
    sql`SELECT s.epoch, s.lease_owner AS holder, s.lease_until AS held_until, failure.what, failure.at
        FROM (SELECT id, epoch, CASE WHEN lease_until > now() THEN lease_owner END AS lease_owner,
                CASE WHEN lease_until > now() THEN lease_until END AS lease_until
              FROM sessions WHERE id = ${sessionId}) s
        LEFT JOIN LATERAL (
          SELECT f.what, f.at FROM (
            SELECT 'turn ' || state AS what, finished_at AS at FROM turns
            WHERE session_id = s.id AND state IN ('failed', 'dead')
            UNION ALL SELECT 'compaction failed: ' || reason, finished_at FROM compactions
            WHERE session_id = s.id AND outcome = 'failed'
            UNION ALL SELECT 'reply ' || state, finished_at FROM outbox
            WHERE session_id = s.id AND state IN ('unknown', 'dead', 'failed')) f
          WHERE f.at IS NOT NULL ORDER BY f.at DESC LIMIT 1) failure ON true`,
  );
  if (row === null) return null;
  const { epoch, holder, held_until: heldUntil, what, at } = row;
  return { epoch, holder, heldUntil, lastFailure: what === null || at === null ? null : { what, at } };
}

/** sessions: all that one erasure changes, locked in one order. */
import type { Platform } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';

export interface ErasedSession {
  id: string;
  platform: Platform;
}

/** In the order of their ids, so that two erasures wait for each other. */
export function lockSessions(tx: Transaction, ids: readonly string[]): Promise<ErasedSession[]> {
  return run<ErasedSession>(
    tx,
    sql`SELECT id, platform FROM sessions WHERE id = ANY(${sql.param([...new Set(ids)])}::text[]) ORDER BY id
        FOR NO KEY UPDATE`,
    'erase_lock_sessions',
  );
}

/** The sessions, and those they were rotated from or into. */
export async function withFamily(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const rows = await run<{ id: string }>(
    tx,
    sql`WITH RECURSIVE up AS (
          SELECT id, parent_session_id FROM sessions WHERE id = ANY(${sql.param([...ids])}::text[])
          UNION SELECT s.id, s.parent_session_id FROM up JOIN sessions s ON s.id = up.parent_session_id
        ), family AS (
          SELECT id FROM up
          UNION SELECT s.id FROM family f JOIN sessions s ON s.parent_session_id = f.id)
        SELECT id FROM family ORDER BY id`,
    'erase_family',
  );
  return rows.map((row) => row.id);
}

/**
 * Nothing that was learned of the old prompt holds, and a holder other than the one who erases is fenced off: what it has
 * read is gone. The note goes with the last compaction that stands.
 */
export async function changeSessions(
  tx: Transaction,
  changed: { sessionIds: readonly string[]; ownId: string | null },
): Promise<void> {
  if (changed.sessionIds.length === 0) return;
  await run(
    tx,
    sql`UPDATE sessions s SET revision = revision + 1, last_prompt_tokens = 0, last_output_tokens = 0, last_priced_seq = 0,
          rest_after_seq = NULL, preparing_until = NULL, updated_at = now(),
          system_note = CASE WHEN s.parent_session_id IS NOT NULL OR EXISTS (SELECT 1 FROM compactions k
            WHERE k.session_id = s.id AND k.figures IS NOT NULL AND k.undone_by IS NULL AND k.trigger <> 'undo'
              AND k.outcome <> 'fallback_trim') THEN s.system_note END,
          epoch = CASE WHEN s.id = ${changed.ownId}::text THEN s.epoch ELSE s.epoch + 1 END,
          lease_owner = CASE WHEN s.id = ${changed.ownId}::text THEN s.lease_owner END,
          lease_until = CASE WHEN s.id = ${changed.ownId}::text THEN s.lease_until END
        WHERE s.id = ANY(${sql.param([...changed.sessionIds])}::text[])`,
    'erase_change_sessions',
  );
}

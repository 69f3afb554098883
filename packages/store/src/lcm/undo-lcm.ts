/** A compaction taken back: the context's items as they stood before it. */
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';

/**
 * Items it made leave the context, items it took out are back, its chapter is none any more. Summaries stay, unreferenced.
 * Where it had left the engine, the rows under its items go back to whoever had archived them before: they must not become
 * live with the rows that it archived itself, so this comes first.
 */
export async function undoLcm(tx: Transaction, sessionId: string, compactionId: number): Promise<void> {
  await together(() => [
    run(
      tx,
      sql`WITH returned AS (
            UPDATE messages m SET archived_by = e.was_archived_by FROM lcm_summary_messages e
            WHERE m.session_id = ${sessionId} AND m.archived_by = ${compactionId}::bigint
              AND e.session_id = ${sessionId} AND e.message_id = m.id AND e.was_archived_by IS NOT NULL
            RETURNING m.id)
          UPDATE lcm_summary_messages e SET was_archived_by = NULL
          FROM returned WHERE e.session_id = ${sessionId} AND e.message_id = returned.id`,
      'lcm_undo_leave',
    ),
    run(
      tx,
      sql`UPDATE lcm_context_items SET active = 0
          WHERE session_id = ${sessionId} AND active = 1 AND created_by = ${compactionId}::bigint`,
      'lcm_undo_created',
    ),
    run(
      tx,
      sql`UPDATE lcm_context_items SET active = 1, archived_by = NULL
          WHERE session_id = ${sessionId} AND active = 0 AND archived_by = ${compactionId}::bigint
            AND created_by <> ${compactionId}::bigint`,
      'lcm_undo_removed',
    ),
    run(
      tx,
      sql`DELETE FROM lcm_chapters WHERE session_id = ${sessionId} AND compaction_id = ${compactionId}::bigint`,
      'lcm_undo_chapter',
    ),
  ]);
}

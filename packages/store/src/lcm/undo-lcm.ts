/** A compaction taken back: the context's items as they stood before it. */
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';
import { nodesUnder } from './write-items.ts';

/**
 * Items it made leave the context, items it took out are back, its chapter is none any more. Summaries stay, unreferenced.
 * Where it had left the engine, rows that its undo made live although a restored summary covers them are archived again,
 * by whoever had archived them before. The rows it archived must be live again already.
 */
export async function undoLcm(tx: Transaction, sessionId: string, compactionId: number): Promise<void> {
  await together(() => [
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
      sql`WITH RECURSIVE ${nodesUnder(sessionId, sql`i.active = 1`)}, archived AS (
            UPDATE messages m SET active = 0, compacted = 1, archived_by = e.was_archived_by
            FROM nodes n, lcm_summary_messages e
            WHERE e.session_id = ${sessionId} AND e.summary_id = n.summary_id
              AND m.session_id = ${sessionId} AND m.id = e.message_id AND m.active = 1
            RETURNING m.id)
          UPDATE lcm_summary_messages e SET was_archived_by = NULL
          FROM archived WHERE e.session_id = ${sessionId} AND e.message_id = archived.id`,
      'lcm_undo_leave',
    ),
    run(
      tx,
      sql`DELETE FROM lcm_chapters WHERE session_id = ${sessionId} AND compaction_id = ${compactionId}::bigint`,
      'lcm_undo_chapter',
    ),
  ]);
}

/** messages, lcm_context_items, dcp_block: how far summaries reach into what is live. */
import { sql } from 'drizzle-orm';
import { type Executor, runOne } from '../database.ts';

/**
 * The highest seq of a session that is a summary or stands under one; 0: none. Rows behind it can be taken back one
 * exchange at a time. A block that the model made does not count: it goes with the call that made it, and what it hid is
 * read again.
 */
export async function summaryEnd(executor: Executor, sessionId: string): Promise<number> {
  const row = await runOne<{ seq: number }>(
    executor,
    sql`WITH RECURSIVE hiding AS (
          SELECT b.unit_ids, b.consumed FROM dcp_block b
          WHERE b.session_id = ${sessionId} AND b.status = 'on' AND b.origin_call_id IS NULL
          UNION
          SELECT i.unit_ids, i.consumed FROM hiding h
          JOIN dcp_block i ON i.session_id = ${sessionId} AND i.number = ANY(h.consumed))
        SELECT greatest(
          (SELECT max(m.seq) FROM messages m WHERE m.session_id = ${sessionId} AND m.active = 1 AND m.kind = 'summary'),
          (SELECT max(i.ordinal) FROM lcm_context_items i WHERE i.session_id = ${sessionId} AND i.active = 1),
          (SELECT max(m.seq) FROM hiding h JOIN messages m ON m.session_id = ${sessionId} AND m.active = 1
             AND m.id = ANY(h.unit_ids)),
          0) AS seq`,
    'summary_end',
  );
  return row?.seq ?? 0;
}

/** messages: rows are taken back; in the caller's transaction, which holds the session row's lock. */
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';

/**
 * Withdraw every live row of a session from a seq on, and whatever the rows stand for, also where a rotation left it: none
 * of it is read or found again, and no undo of a compaction brings it back. The prompt's count is forgotten, plans made
 * ahead are dropped. Blocks and marks of engines follow from the rows that are left.
 *
 * returns  turns whose rows of a person are among them
 */
export async function withdrawRows(
  tx: Transaction,
  from: { sessionId: string; seq: number },
): Promise<readonly string[]> {
  const { sessionId, seq } = from;
  const [gone] = await together(() => [
    run<{ turn_id: string | null; step: number | null }>(
      tx,
      sql`WITH RECURSIVE line AS (
            SELECT s.id, s.parent_session_id FROM sessions s WHERE s.id = ${sessionId}
            UNION SELECT s.id, s.parent_session_id FROM line JOIN sessions s ON s.id = line.parent_session_id
          ), gone AS (
            SELECT m.session_id, m.id, m.replaces FROM messages m
            WHERE m.session_id = ${sessionId} AND m.active = 1 AND m.seq >= ${seq}::bigint
            UNION
            SELECT o.session_id, o.id, o.replaces FROM gone CROSS JOIN line
            JOIN messages o ON o.session_id = line.id AND o.id = gone.replaces)
          UPDATE messages m SET active = 0, compacted = 0, archived_by = NULL FROM gone
          WHERE m.session_id = gone.session_id AND m.id = gone.id RETURNING m.turn_id, m.step`,
      'withdraw_rows',
    ),
    run(
      tx,
      sql`UPDATE sessions SET revision = revision + 1, last_prompt_tokens = 0, last_output_tokens = 0, last_priced_seq = 0,
            updated_at = now()
          WHERE id = ${sessionId}`,
      'forget_prompt',
    ),
    run(tx, sql`DELETE FROM prepared_compactions WHERE session_id = ${sessionId}`, 'drop_prepared'),
  ]);
  return [...new Set(gone.flatMap((row) => (row.step === 0 && row.turn_id !== null ? [row.turn_id] : [])))];
}

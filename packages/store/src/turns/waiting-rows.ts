/** mailbox: what waits for a session's holder, in the order in which it is taken. */
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { urgentCommands } from '../intake/judge.ts';
import { mediaUntil } from '../media/take-media.ts';
import type { WaitingRow } from './choose-rows.ts';

/** Open rows without their texts, urgent commands first, then oldest first; edits wait for company and are not among them. */
export async function waitingRows(tx: Transaction, sessionId: string, limit: number): Promise<WaitingRow[]> {
  const rows = await run<Omit<WaitingRow, 'sentAt'> & { sentAt: string | null }>(
    tx,
    sql`SELECT seq, kind, chat_row_id AS "chatRowId", attempts, sender_id AS "senderId",
               content #>> '{message,series}' AS series, content #>> '{message,sentAt}' AS "sentAt",
               coalesce(length(content #>> '{message,text}'), 0) AS characters,
               greatest(0, ceil(extract(epoch FROM greatest(not_before, ${mediaUntil}) - clock_timestamp()) * 1000))::int AS "waitMs"
        FROM mailbox WHERE session_id = ${sessionId} AND state IN ('pending', 'claimed')
          AND (state = 'pending' OR turn_id IS NULL) AND kind <> 'edit'
        ORDER BY (kind = 'command' AND content->'command'->>'name' = ANY(${sql.param([...urgentCommands])}::text[])) DESC, seq
        LIMIT ${limit}::int`,
    'waiting_rows',
  );
  return rows.map((row) => ({ ...row, series: row.series ?? undefined, sentAt: new Date(row.sentAt ?? 0) }));
}

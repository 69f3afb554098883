/** mailbox: whether somebody wrote while a turn runs. */
import type { Turn } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';
import { waitsForMedia } from '../media/take-media.ts';

/** Whether a message of the turn's chat is due that came behind those it answers; `sessionId`: where the turn runs now. */
export async function mailBehind(db: Database, sessionId: string, turn: Turn): Promise<boolean> {
  const last = turn.mailbox.at(-1)?.seq ?? 0;
  const row = await runOne(
    db,
    sql`SELECT 1 AS one FROM mailbox WHERE session_id = ${sessionId} AND state IN ('pending', 'claimed') AND state = 'pending'
          AND kind = 'message' AND chat_row_id = ${turn.chat.chatRowId}::bigint AND seq > ${last}::bigint
          AND not_before <= clock_timestamp() AND NOT ${waitsForMedia} LIMIT 1`,
    'mail_behind',
  );
  return row !== null;
}

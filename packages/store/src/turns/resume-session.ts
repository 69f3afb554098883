/** /resume: a direct chat goes on in another session of its person; what waits moves along. */
import { GatewayError, type Lease, type MailboxRow, type NewReply } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction, type Transaction } from '../database.ts';
import { carryMedia } from '../media/carry-media.ts';
import { checkLease } from '../with-lease.ts';
import { writeReplies } from '../write-replies.ts';
import { closeRequest } from './finish-command.ts';

export interface ResumedSession {
  /** The command that asked for it, in the session that is left. */
  row: MailboxRow;
  targetId: string;
  replies: readonly NewReply[];
}

/**
 * Point the command's chat at the target, which is open again if it had ended. The session that is left stays as it is,
 * with other chats and their mail. Throws input_invalid when the two are not both direct; then nothing was written.
 */
export function resumeSession(db: Database, lease: Lease, resumed: ResumedSession): Promise<void> {
  return transaction(db, (tx) => moveToSession(tx, lease, resumed));
}

/** The same in the caller's transaction, which has locked no chat and no session before. */
export async function moveToSession(tx: Transaction, lease: Lease, resumed: ResumedSession): Promise<void> {
  const { row, targetId } = resumed;
  const { chatRowId } = row.chat;
  // The chat first, then the sessions by their ids: the order in which intake locks them.
  const chat = await runOne<{ session_id: string | null }>(
    tx,
    sql`SELECT session_id FROM chats WHERE id = ${chatRowId}::bigint FOR NO KEY UPDATE`,
    'lock_chat',
  );
  const wanted = [...new Set([lease.sessionId, targetId])];
  const kinds = await lockBoth(tx, wanted);
  await checkLease(tx, lease);
  if (kinds.length !== wanted.length || kinds.some((kind) => kind !== 'direct'))
    throw new GatewayError(
      'input_invalid',
      `session ${targetId} cannot be taken up from session ${lease.sessionId}: both must be of direct chats, seen ${kinds.join(', ')}`,
    );
  await closeRequest(tx, lease.sessionId, { seq: row.seq, answer: null });
  // Nothing moves where the chat is there already, or where the answer to an earlier commit was lost: it is done.
  if (targetId === lease.sessionId) return writeReplies(tx, targetId, resumed.replies);
  if (chat?.session_id !== lease.sessionId) return;
  await run(tx, sql`UPDATE chats SET session_id = ${targetId} WHERE id = ${chatRowId}::bigint`, 'point_chat');
  await run(
    tx,
    sql`UPDATE sessions SET closed_at = NULL, updated_at = now() WHERE id = ${targetId} AND closed_at IS NOT NULL`,
    'reopen_session',
  );
  await moveMail(tx, { fromId: lease.sessionId, toId: targetId, chatRowId });
  await carryMedia(tx, lease.sessionId, targetId);
  await writeReplies(tx, targetId, resumed.replies);
  tx.notices.add([{ kind: 'mailbox', sessionId: targetId }]);
}

async function lockBoth(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const rows = await run<{ chat_kind: string }>(
    tx,
    sql`SELECT chat_kind FROM sessions WHERE id = ANY(${sql.param([...ids])}::text[]) ORDER BY id FOR NO KEY UPDATE`,
    'lock_both_sessions',
  );
  return rows.map((row) => row.chat_kind);
}

/** Edits stay where the message is that they change. */
async function moveMail(
  tx: Transaction,
  { fromId, toId, chatRowId }: { fromId: string; toId: string; chatRowId: number },
): Promise<void> {
  await run(
    tx,
    sql`WITH waiting AS (
          SELECT seq, row_number() OVER (ORDER BY seq) - 1 AS place FROM mailbox
          WHERE session_id = ${fromId} AND chat_row_id = ${chatRowId}::bigint AND state = 'pending'
            AND kind IN ('message', 'command')
        ), room AS (
          UPDATE sessions SET next_mailbox_seq = next_mailbox_seq + (SELECT count(*) FROM waiting) WHERE id = ${toId}
          RETURNING next_mailbox_seq - (SELECT count(*) FROM waiting) AS first)
        UPDATE mailbox b SET session_id = ${toId}, seq = room.first + waiting.place FROM waiting, room
        WHERE b.session_id = ${fromId} AND b.seq = waiting.seq`,
    'move_mail',
  );
}

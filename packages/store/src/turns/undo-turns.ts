/** /undo: whole exchanges are taken back. */
import type { Lease, MailboxRow, NewReply } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, type Transaction } from '../database.ts';
import { withLease } from '../with-lease.ts';
import { writeReplies } from '../write-replies.ts';
import { closeRequest } from './finish-command.ts';
import { withdrawRows } from './withdraw-rows.ts';

export interface TakenBack {
  fromSeq: number;
  /** The command that asked for it: done in the same transaction, so that a repeat takes back nothing more. */
  row: MailboxRow;
  /** An operator reads it from the row. */
  answer: string | null;
  replies: readonly NewReply[];
}

export function undoTurns(db: Database, lease: Lease, taken: TakenBack): Promise<void> {
  const { sessionId } = lease;
  return withLease(db, lease, async (tx) => {
    const turnIds = await withdrawRows(tx, { sessionId, seq: taken.fromSeq });
    await withdrawMail(tx, sessionId, turnIds);
    await closeRequest(tx, sessionId, { seq: taken.row.seq, answer: taken.answer });
    await writeReplies(tx, sessionId, taken.replies);
  });
}

/** An edit of what was taken back, whether it waits already or comes later, is no news to the model. */
async function withdrawMail(tx: Transaction, sessionId: string, turnIds: readonly string[]): Promise<void> {
  if (turnIds.length === 0) return;
  await run(
    tx,
    sql`WITH gone AS (
          UPDATE mailbox SET state = 'withdrawn', reason = 'taken_back'
          WHERE session_id = ${sessionId} AND turn_id = ANY(${sql.param([...turnIds])}::text[]) AND state IN ('done', 'dead')
          RETURNING chat_row_id, message_id)
        UPDATE mailbox e SET state = 'withdrawn', reason = 'taken_back', done_at = now() FROM gone
        WHERE e.session_id = ${sessionId} AND e.state IN ('pending', 'claimed') AND e.state = 'pending' AND e.kind = 'edit'
          AND e.chat_row_id = gone.chat_row_id AND e.message_id = gone.message_id`,
    'withdraw_mail',
  );
}

/** /retry: the last answer is taken back and the same messages are answered anew. */
import { randomUUID } from 'node:crypto';
import type { Lease, MailboxRow, NewReply } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, together, type Transaction } from '../database.ts';
import { withLease } from '../with-lease.ts';
import { writeReplies } from '../write-replies.ts';
import { closeRequest } from './finish-command.ts';
import { withdrawRows } from './withdraw-rows.ts';

export interface RetriedTurn {
  turnId: string;
  /** Seq of the last row of a person in it; what stands behind it is taken back. */
  lastPersonSeq: number;
  /** The command that asked for it. */
  row: MailboxRow;
  replies: readonly NewReply[];
}

/**
 * A new turn over the same rows and mailbox rows, left as a holder that died would leave it: `nextWork` gives it next, as
 * its first attempt. The former turn stays as it ended, with what it answered.
 */
export function retryTurn(db: Database, lease: Lease, retried: RetriedTurn): Promise<void> {
  const { sessionId } = lease;
  return withLease(db, lease, async (tx) => {
    await withdrawRows(tx, { sessionId, seq: retried.lastPersonSeq + 1 });
    await reopen(tx, lease, { from: retried.turnId, to: randomUUID() });
    await closeRequest(tx, sessionId, { seq: retried.row.seq, answer: null });
    await writeReplies(tx, sessionId, retried.replies);
  });
}

async function reopen(tx: Transaction, lease: Lease, turn: { from: string; to: string }): Promise<void> {
  const { sessionId } = lease;
  await together(() => [
    run(
      tx,
      sql`INSERT INTO turns (session_id, id, chat_row_id, first_mailbox_seq, last_mailbox_seq, epoch, attempt)
          SELECT session_id, ${turn.to}, chat_row_id, first_mailbox_seq, last_mailbox_seq, ${lease.epoch}::bigint, 0
          FROM turns WHERE session_id = ${sessionId} AND id = ${turn.from}`,
      'retry_turn',
    ),
    run(
      tx,
      sql`UPDATE messages SET turn_id = ${turn.to}
          WHERE session_id = ${sessionId} AND turn_id = ${turn.from} AND step = 0`,
      'retry_rows',
    ),
    run(
      tx,
      sql`UPDATE mailbox SET state = 'claimed', turn_id = ${turn.to}, done_at = NULL
          WHERE session_id = ${sessionId} AND turn_id = ${turn.from}`,
      'retry_mail',
    ),
  ]);
}

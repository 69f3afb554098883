/** Turns that do not end by an answer: failed too often, or put back at shutdown. */
import type { Lease, NewReply, Turn } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';
import { withLease } from '../with-lease.ts';
import { writeReplies } from '../write-replies.ts';
import { moveStep } from '../usage/add-usage.ts';
import { settleMail } from './finish-turn.ts';

/** The turn and its mailbox rows become dead; the person is told by `replies`, once. */
export function buryTurn(
  db: Database,
  lease: Lease,
  buried: { turn: Turn; replies: readonly NewReply[] },
): Promise<void> {
  const { sessionId } = lease;
  return withLease(db, lease, async (tx) => {
    await moveStep(tx, { sessionId, turnId: buried.turn.id, step: buried.turn.lastStep, ended: 'dead' });
    await settleMail(tx, { sessionId, turnId: buried.turn.id, state: 'dead' });
    // A command has no turn; its row is named by the turn it was dressed up as.
    const seqs = buried.turn.mailbox.map((row) => row.seq);
    await run(
      tx,
      sql`UPDATE mailbox SET state = 'dead', done_at = now() WHERE session_id = ${sessionId}
            AND state IN ('pending', 'claimed') AND seq = ANY(${sql.param(seqs)}::bigint[])`,
      'bury_rows',
    );
    await writeReplies(tx, sessionId, buried.replies);
  });
}

/** The turn stays as it is; the attempt that ends here does not count. */
export function suspendTurn(db: Database, lease: Lease, turnId: string): Promise<void> {
  return withLease(db, lease, async (tx) => {
    await run(
      tx,
      sql`UPDATE turns SET attempt = greatest(0, attempt - 1)
          WHERE session_id = ${lease.sessionId} AND id = ${turnId} AND state = 'running'`,
      'suspend_turn',
    );
  });
}

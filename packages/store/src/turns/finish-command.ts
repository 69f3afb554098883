/** Commands and operators' requests, and what they take back. */
import {
  cleanText,
  knownCommands,
  type EngineStateChange,
  type Lease,
  type MailboxRow,
  type NewReply,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, type Transaction } from '../database.ts';
import { withLease } from '../with-lease.ts';
import { writeEngineStates } from '../write-engine-state.ts';
import { tellWanted } from '../write-events.ts';
import { writeReplies } from '../write-replies.ts';

/** The row is done and its reply is on its way, in one transaction; a repeat changes nothing. */
export function finishCommand(
  db: Database,
  lease: Lease,
  finished: {
    row: MailboxRow;
    replies: readonly NewReply[];
    engineStates?: readonly EngineStateChange[];
  },
): Promise<void> {
  const { sessionId } = lease;
  return withLease(db, lease, async (tx) => {
    await closeRequest(tx, sessionId, { seq: finished.row.seq, answer: null });
    await writeEngineStates(tx, { sessionId, compactionId: null }, finished.engineStates);
    await writeReplies(tx, sessionId, finished.replies);
  });
}

/** The answer stands on the row; no reply goes to the chat. */
export function answerOperator(
  db: Database,
  lease: Lease,
  finished: { row: MailboxRow; answer: string },
): Promise<void> {
  const { row, answer } = finished;
  return withLease(db, lease, (tx) => closeRequest(tx, lease.sessionId, { seq: row.seq, answer }));
}

/** A name that is none of ours may be anything that somebody typed, so it is not told. */
const nameOfEvent = sql.raw(
  `'command:' || CASE WHEN name IN (${knownCommands.map((name) => `'${name}'`).join(', ')}) THEN name ELSE 'other' END`,
);

/** In the caller's transaction; what is closed stays as it is. */
export async function closeRequest(
  tx: Transaction,
  sessionId: string,
  request: { seq: number; answer: string | null },
): Promise<void> {
  const answer = request.answer === null ? null : cleanText(request.answer);
  await run(
    tx,
    sql`WITH closed AS (
          UPDATE mailbox SET state = 'done', done_at = now(), answer = ${answer}::text
          WHERE session_id = ${sessionId} AND seq = ${request.seq}::bigint AND state IN ('pending', 'claimed')
          RETURNING session_id, kind, content -> 'command' ->> 'name' AS name),
        ${tellWanted(sql`SELECT session_id, ${nameOfEvent}, jsonb_build_object('type', ${nameOfEvent}, 'sessionId', session_id,
          'by', CASE WHEN kind = 'operator' THEN 'operator' ELSE 'person' END) FROM closed WHERE kind IN ('command', 'operator')`)}
        SELECT 1 FROM closed`,
    'finish_command',
  );
}

/** Pending rows before `beforeSeq` are withdrawn, edits with them; operators' requests stay. Edits do not count. */
export function withdrawPending(db: Database, lease: Lease, beforeSeq: number): Promise<number> {
  return withLease(db, lease, async (tx) => {
    const rows = await run<{ kind: string }>(
      tx,
      sql`UPDATE mailbox SET state = 'withdrawn', reason = 'taken_back', done_at = now()
          WHERE session_id = ${lease.sessionId} AND state = 'pending' AND seq < ${beforeSeq}::bigint AND kind <> 'operator'
          RETURNING kind`,
      'withdraw_pending',
    );
    return rows.filter((row) => row.kind !== 'edit').length;
  });
}

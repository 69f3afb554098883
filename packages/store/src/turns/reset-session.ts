/** /reset: one session ends, another begins; what waits moves along. */
import type { ChatTarget, Lease, NewReply } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { createSession } from '../create-session.ts';
import { type Database, run, runOne, type Transaction, transaction } from '../database.ts';
import { lockChatsOf, pointChats } from '../chats-of-session.ts';
import { carryMedia } from '../media/carry-media.ts';
import { lockSession } from '../with-lease.ts';
import { writeEvents } from '../write-events.ts';
import { writeReplies } from '../write-replies.ts';

/**
 * Close the session, open a new one with its engine and model, point every chat of the old one and all pending mailbox
 * rows at it. The command that asked for it is done in the same transaction. Returns the new session's id.
 */
export function resetSession(
  db: Database,
  lease: Lease,
  reset: { chat: ChatTarget; replies: (newSessionId: string) => readonly NewReply[] },
): Promise<string> {
  return transaction(db, async (tx) => {
    // Chats first, then the session: the order in which intake locks them.
    await lockChatsOf(tx, lease.sessionId);
    const old = await lockSession(tx, lease);
    // The answer to an earlier commit was lost: it is done already.
    if (old.closed_at !== null) return sessionOf(tx, reset.chat, old.id);
    const newId = await createSession(tx, {
      engine: old.engine,
      model: old.model,
      account: { platform: old.platform, id: old.account },
      chatKind: old.chat_kind,
      chatRowId: reset.chat.chatRowId,
      nextMailboxSeq: old.next_mailbox_seq,
    });
    await moveMailbox(tx, old.id, newId);
    await carryMedia(tx, old.id, newId);
    await pointChats(tx, old.id, newId);
    await run(tx, sql`UPDATE sessions SET closed_at = now(), updated_at = now() WHERE id = ${old.id}`);
    await writeEvents(tx, [
      {
        type: 'session:end',
        sessionId: old.id,
        platform: old.platform,
        reason: 'reset',
        nextSessionId: newId,
      },
      { type: 'session:reset', sessionId: newId, oldSessionId: old.id, platform: old.platform },
    ]);
    await writeReplies(tx, newId, reset.replies(newId));
    return newId;
  });
}

async function sessionOf(tx: Transaction, chat: ChatTarget, oldId: string): Promise<string> {
  const row = await runOne<{ session_id: string | null }>(
    tx,
    sql`SELECT session_id FROM chats WHERE id = ${chat.chatRowId}::bigint`,
  );
  return row?.session_id ?? oldId;
}

async function moveMailbox(tx: Transaction, oldId: string, newId: string): Promise<void> {
  await run(
    tx,
    sql`UPDATE mailbox SET session_id = ${newId} WHERE session_id = ${oldId} AND state = 'pending'`,
  );
  await run(
    tx,
    sql`UPDATE mailbox SET state = 'done', done_at = now()
        WHERE session_id = ${oldId} AND state = 'claimed' AND turn_id IS NULL`,
  );
}

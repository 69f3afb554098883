/** Messages that were deleted where they were said: what waits is withdrawn at once, the rest is the lease holder's. */
import type { AccountRef } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, runOne, type Transaction } from '../database.ts';
import { emptyMail, readMail } from '../erase/erased-mail.ts';

export interface Deletion {
  chatId: string;
  messageIds: readonly string[];
}

interface Place {
  chat_row_id: number;
  session_id: string;
}

/** The session that was asked to erase them; null where none of them is known, nor quoted. */
export async function applyDeletion(
  tx: Transaction,
  account: AccountRef,
  deletion: Deletion & { inboxId: number },
): Promise<string | null> {
  const place = await lockPlace(tx, account, deletion);
  if (place === null) return null;
  const ids = sql.param([...deletion.messageIds]);
  const known = await run<{ message_id: string }>(
    tx,
    sql`SELECT message_id FROM mailbox
        WHERE chat_row_id = ${place.chat_row_id}::bigint AND message_id = ANY(${ids}::text[])
        UNION SELECT content #>> '{message,replyTo,messageId}' FROM mailbox
        WHERE session_id = ${place.session_id} AND content #>> '{message,replyTo,messageId}' = ANY(${ids}::text[])`,
    'deleted_known',
  );
  if (known.length === 0) return null;
  const waiting = await readMail(
    tx,
    [place.session_id],
    sql`b.chat_row_id = ${place.chat_row_id}::bigint AND b.message_id = ANY(${ids}::text[]) AND b.state = 'pending'`,
  );
  await emptyMail(tx, waiting);
  await askToErase(tx, place, { inboxId: deletion.inboxId, messageIds: known.map((row) => row.message_id) });
  return place.session_id;
}

/** The chat, then its session: the order in which all of intake locks. */
async function lockPlace(tx: Transaction, account: AccountRef, deletion: Deletion): Promise<Place | null> {
  // Where each person has a session of their own, it is the one that knows the message.
  const chat = await runOne<{ id: number; session_id: string | null }>(
    tx,
    sql`SELECT id, coalesce((SELECT b.session_id FROM mailbox b WHERE b.chat_row_id = chats.id
            AND b.message_id = ANY(${sql.param([...deletion.messageIds])}::text[]) ORDER BY b.accepted_at DESC LIMIT 1),
          session_id) AS session_id
        FROM chats WHERE platform = ${account.platform} AND account = ${account.id}
          AND chat_id = ${deletion.chatId} AND alias_of IS NULL ORDER BY thread_id LIMIT 1 FOR NO KEY UPDATE`,
    'deleted_chat',
  );
  if (chat === null || chat.session_id === null) return null;
  await run(
    tx,
    sql`SELECT id FROM sessions WHERE id = ${chat.session_id} FOR NO KEY UPDATE`,
    'deleted_session',
  );
  return { chat_row_id: chat.id, session_id: chat.session_id };
}

/** One request a message, behind what waits already: also of one that waited, since answers may quote it. */
async function askToErase(
  tx: Transaction,
  { chat_row_id: chatRowId, session_id: sessionId }: Place,
  { inboxId, messageIds }: { inboxId: number; messageIds: readonly string[] },
): Promise<void> {
  await run(
    tx,
    sql`WITH s AS (UPDATE sessions SET next_mailbox_seq = next_mailbox_seq + ${messageIds.length}::bigint
          WHERE id = ${sessionId} RETURNING next_mailbox_seq - ${messageIds.length}::bigint AS first)
        INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content, inbox_id)
        SELECT ${sessionId}::text, s.first + u.ord - 1, ${chatRowId}::bigint, 'operator', jsonb_build_object('kind', 'operator',
            'command', jsonb_build_object('name', 'erase_message', 'argument', u.id)), ${inboxId}::bigint
        FROM s, unnest(${sql.param([...messageIds])}::text[]) WITH ORDINALITY AS u(id, ord)`,
    'ask_to_erase',
  );
  tx.notices.add([{ kind: 'mailbox', sessionId }]);
}

/** One message of a chat: it was deleted where it was said, or an operator wants it gone. */
import type { ErasedCounts, EraseRequest, Lease } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, transaction, type Transaction } from '../database.ts';
import { sessionsInScope } from '../search/search-scope.ts';
import { lockSession } from '../with-lease.ts';
import { closeErasure, writeErasure } from './close-erasure.ts';
import { emptyMail, emptyNaming, emptyQuotes, readMail } from './erased-mail.ts';
import { eraseRows } from './erase-rows.ts';
import { lockSessions, withFamily } from './lock-sessions.ts';

export interface MessageToErase {
  chatRowId: number;
  messageId: string;
}

export function eraseMessage(
  db: Database,
  lease: Lease,
  erased: MessageToErase & { request?: EraseRequest },
): Promise<ErasedCounts> {
  return transaction(db, async (tx) => {
    const sessionIds = await sessionsToSearch(tx, lease.sessionId, erased);
    await lockSessions(tx, sessionIds);
    const own = await lockSession(tx, lease);
    const mail = await readMail(
      tx,
      sessionIds,
      sql`b.chat_row_id = ${erased.chatRowId}::bigint AND b.message_id = ${erased.messageId}`,
    );
    const answers = await readMail(
      tx,
      sessionIds,
      sql`b.content #>> '{message,replyTo,messageId}' = ${erased.messageId} AND b.chat_row_id = ${erased.chatRowId}::bigint`,
    );
    const { counts, sessionIds: changedIds } = await eraseRows(tx, {
      sessionIds,
      ownId: own.id,
      rowIds: mail.flatMap((row) => row.row_ids),
      answeringRowIds: answers.flatMap((row) => row.row_ids),
      texts: mail.map((row) => row.text),
    });
    await emptyMail(tx, mail);
    await emptyQuotes(tx, answers);
    await emptyNaming(tx, sessionIds, [erased.messageId]);
    await writeErasure(tx, [...new Set([own.id, ...changedIds])], { scope: 'message', counts });
    await closeErasure(tx, own.id, { request: erased.request, counts });
    return counts;
  });
}

/** The session that asks, those where the message was accepted, what they were rotated from and into, and those that can quote them. */
async function sessionsToSearch(
  tx: Transaction,
  ownId: string,
  { chatRowId, messageId }: MessageToErase,
): Promise<string[]> {
  const accepted = await run<{ session_id: string }>(
    tx,
    sql`SELECT DISTINCT session_id FROM mailbox WHERE chat_row_id = ${chatRowId}::bigint AND message_id = ${messageId}`,
    'erase_accepted',
  );
  const scope = await sessionsInScope(tx, ownId);
  return withFamily(tx, [ownId, ...accepted.map((row) => row.session_id), ...scope]);
}

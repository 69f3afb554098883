/** The second access check: a right that was taken away after intake is gone before the turn too. */
import {
  type AccessGrants,
  type AccessLists,
  type ChatPlace,
  decideAccess,
  type Platform,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';

export interface PendingSender {
  sender_id: string;
  chat_row_id: number;
  platform: Platform;
  chat_id: string;
  thread_id: string;
  kind: ChatPlace['kind'];
  user_grant: AccessGrants['user'];
  chat_grant: AccessGrants['chat'];
}

export interface DeniedSender extends PendingSender {
  reason: string;
}

/** Those of the senders who may no longer talk to the bot. */
export function deniedOf(
  senders: readonly PendingSender[],
  lists: Readonly<Record<Platform, AccessLists>>,
): readonly DeniedSender[] {
  return senders.flatMap((sender) => {
    const decision = decideAccess({
      platform: sender.platform,
      sender: { id: sender.sender_id },
      place: { chatId: sender.chat_id, threadId: sender.thread_id, kind: sender.kind },
      lists: lists[sender.platform],
      grants: { user: sender.user_grant, chat: sender.chat_grant },
    });
    return decision.kind === 'deny' ? [{ ...sender, reason: decision.reason }] : [];
  });
}

/** Withdraw their pending rows, with the reason. */
export async function withdrawDenied(
  tx: Transaction,
  sessionId: string,
  denied: readonly DeniedSender[],
): Promise<void> {
  await run(
    tx,
    sql`UPDATE mailbox b SET state = 'withdrawn', reason = d.reason, done_at = now()
        FROM jsonb_to_recordset(${JSON.stringify(denied)}::jsonb) AS d(sender_id text, chat_row_id bigint, reason text)
        WHERE b.session_id = ${sessionId} AND b.state = 'pending' AND b.sender_id = d.sender_id
          AND b.chat_row_id = d.chat_row_id`,
    'drop_denied',
  );
}

/** Who wrote what waits in the mailbox, with what operators granted them. */
export function pendingSenders(tx: Transaction, sessionId: string): Promise<PendingSender[]> {
  return run<PendingSender>(
    tx,
    sql`SELECT DISTINCT b.sender_id, b.chat_row_id, c.platform, c.chat_id, c.thread_id, c.kind, u.access AS user_grant, g.access AS chat_grant
        FROM mailbox b JOIN chats c ON c.id = b.chat_row_id
        LEFT JOIN access_grants u ON u.platform = c.platform AND u.kind = 'user' AND u.id = b.sender_id
        LEFT JOIN access_grants g ON g.platform = c.platform AND g.kind = 'chat' AND g.id = c.chat_id
        WHERE b.session_id = ${sessionId} AND b.state IN ('pending', 'claimed') AND b.state = 'pending'
          AND b.sender_id IS NOT NULL`,
    'pending_senders',
  );
}

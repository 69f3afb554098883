/** The second access check: a right that was taken away after intake is gone before the turn too. */
import {
  type AccessGrants,
  type AccessLists,
  type ChatPlace,
  decideAccess,
  type Lease,
  type Platform,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';
import { withLease } from '../with-lease.ts';

interface PendingSender {
  sender_id: string;
  chat_row_id: number;
  platform: Platform;
  chat_id: string;
  kind: ChatPlace['kind'];
  user_grant: AccessGrants['user'];
  chat_grant: AccessGrants['chat'];
}

/** Withdraw pending rows of senders who may no longer talk to the bot, with the reason; how many. */
export async function dropDenied(
  db: Database,
  lease: Lease,
  lists: Readonly<Record<Platform, AccessLists>>,
): Promise<number> {
  const senders = await pendingSenders(db, lease.sessionId);
  const denied = senders.flatMap((sender) => {
    const decision = decideAccess({
      platform: sender.platform,
      sender: { id: sender.sender_id },
      place: { chatId: sender.chat_id, kind: sender.kind },
      lists: lists[sender.platform],
      grants: { user: sender.user_grant, chat: sender.chat_grant },
    });
    return decision.kind === 'deny' ? [{ ...sender, reason: decision.reason }] : [];
  });
  if (denied.length === 0) return 0;
  return withLease(db, lease, async (tx) => {
    const rows = await run(
      tx,
      sql`UPDATE mailbox b SET state = 'withdrawn', reason = d.reason, done_at = now()
          FROM jsonb_to_recordset(${JSON.stringify(denied)}::jsonb) AS d(sender_id text, chat_row_id bigint, reason text)
          WHERE b.session_id = ${lease.sessionId} AND b.state = 'pending' AND b.sender_id = d.sender_id
            AND b.chat_row_id = d.chat_row_id RETURNING b.seq`,
      'drop_denied',
    );
    return rows.length;
  });
}

function pendingSenders(db: Database, sessionId: string): Promise<PendingSender[]> {
  return run<PendingSender>(
    db,
    sql`SELECT DISTINCT b.sender_id, b.chat_row_id, c.platform, c.chat_id, c.kind, u.access AS user_grant, g.access AS chat_grant
        FROM mailbox b JOIN chats c ON c.id = b.chat_row_id
        LEFT JOIN access_grants u ON u.platform = c.platform AND u.kind = 'user' AND u.id = b.sender_id
        LEFT JOIN access_grants g ON g.platform = c.platform AND g.kind = 'chat' AND g.id = c.chat_id
        WHERE b.session_id = ${sessionId} AND b.state IN ('pending', 'claimed') AND b.state = 'pending'
          AND b.sender_id IS NOT NULL`,
    'pending_senders',
  );
}

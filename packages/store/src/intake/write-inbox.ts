/** inbox: what arrived, once. */
import { createHash } from 'node:crypto';
import type { AccountRef } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';

export interface InboxRow {
  updateKey: string;
  /** Unique in the account: the same message by another road. */
  messageKey?: string;
  /** Left out for denied and ignored senders. */
  raw?: Uint8Array;
  status: 'stored' | 'denied' | 'ignored' | 'unparsed';
  reason?: string;
  chatId?: string;
  threadId?: string;
  senderId?: string;
  messageId?: string;
  sessionId?: string;
}

/** An index entry has room for 2,700 bytes; a key of a platform has twenty. */
const longestKey = 500;

/** The key as it is stored: a monstrous one as its hash, so that nothing it carries can be refused for it. */
export function storedKey(updateKey: string): string {
  return updateKey.length <= longestKey ? updateKey : createHash('sha256').update(updateKey).digest('hex');
}

/** Insert rows in order; gives the inbox id of each stored key that is new. What is missing was there before. */
export async function writeInbox(
  tx: Transaction,
  account: AccountRef,
  rows: readonly InboxRow[],
): Promise<Map<string, number>> {
  const column = (pick: (row: InboxRow) => string | undefined) =>
    sql.param(rows.map((row) => pick(row) ?? null));
  const raws = sql.param(rows.map((row) => (row.raw === undefined ? null : Buffer.from(row.raw))));
  const written = await run<{ id: number; update_key: string }>(
    tx,
    sql`INSERT INTO inbox (platform, account, update_key, message_key, raw, status, reason, chat_id, thread_id, sender_id,
                           message_id, session_id)
        SELECT ${account.platform}::text, ${account.id}::text, u.update_key, u.message_key, u.raw, u.status, u.reason,
               u.chat_id, u.thread_id, u.sender_id, u.message_id, u.session_id
        FROM unnest(${column((row) => storedKey(row.updateKey))}::text[], ${column((row) => row.messageKey)}::text[], ${raws}::bytea[],
                    ${column((row) => row.status)}::text[], ${column((row) => row.reason)}::text[],
                    ${column((row) => row.chatId)}::text[], ${column((row) => row.threadId)}::text[],
                    ${column((row) => row.senderId)}::text[], ${column((row) => row.messageId)}::text[],
                    ${column((row) => row.sessionId)}::text[])
             WITH ORDINALITY AS u(update_key, message_key, raw, status, reason, chat_id, thread_id, sender_id, message_id,
                                  session_id, position)
        ORDER BY u.position
        ON CONFLICT DO NOTHING RETURNING id, update_key`,
    'write_inbox',
  );
  return new Map(written.map((row) => [row.update_key, row.id]));
}

/** inbox, mailbox, turns: what became of an update. */
import type { AccessStore, UpdateFate } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

const mostShown = 5;

interface FateRecord {
  received_at: Date;
  status: UpdateFate['status'];
  reason: string | null;
  chat_id: string | null;
  thread_id: string | null;
  chat_kind: UpdateFate['chatKind'];
  sender_id: string | null;
  session_id: string | null;
  mailbox_state: string | null;
  mailbox_reason: string | null;
  turn_state: string | null;
}

/** Newest first, at most five; of people who are not served there are ids only. */
export async function fatesOf(
  db: Database,
  asked: Parameters<AccessStore['fates']>[0],
): Promise<readonly UpdateFate[]> {
  const { platform } = asked;
  const [messageId, senderId, chatId] = [
    asked.messageId ?? null,
    asked.senderId ?? null,
    asked.chatId ?? null,
  ];
  const records = await run<FateRecord>(
    db,
    sql`SELECT i.received_at, i.status, i.reason, i.chat_id, i.thread_id, i.sender_id, coalesce(b.session_id, i.session_id) AS session_id,
               c.kind AS chat_kind, b.state AS mailbox_state, b.reason AS mailbox_reason, t.state AS turn_state
        FROM inbox i
        LEFT JOIN chats c ON c.platform = i.platform AND c.account = i.account AND c.chat_id = i.chat_id
          AND c.thread_id = coalesce(i.thread_id, '')
        LEFT JOIN mailbox b ON b.inbox_id = i.id AND b.message_id = i.message_id AND b.chat_row_id = coalesce(c.alias_of, c.id)
        LEFT JOIN turns t ON t.session_id = b.session_id AND t.id = b.turn_id
        WHERE i.platform = ${platform}
          AND (${messageId}::text IS NULL OR i.message_id = ${messageId}::text)
          AND (${senderId}::text IS NULL OR i.sender_id = ${senderId}::text)
          AND (${chatId}::text IS NULL OR i.chat_id = ${chatId}::text)
        ORDER BY i.received_at DESC, i.id DESC LIMIT ${mostShown}`,
  );
  return records.map((record) => ({
    receivedAt: record.received_at,
    status: record.status,
    reason: record.reason,
    chatId: record.chat_id,
    threadId: record.thread_id,
    chatKind: record.chat_kind,
    senderId: record.sender_id,
    sessionId: record.session_id,
    mailbox:
      record.mailbox_state === null ? null : { state: record.mailbox_state, reason: record.mailbox_reason },
    turn: record.turn_state,
  }));
}

/** chats: the columns that make a ChatTarget, for queries that join them as `c`. */
import type { ChatPlace, ChatTarget, Platform } from '@palimpsest/core';
import { sql } from 'drizzle-orm';

export interface ChatTargetRecord {
  chat_row_id: number;
  chat_platform: Platform;
  chat_account: string;
  chat_chat_id: string;
  chat_thread_id: string;
  chat_kind: ChatPlace['kind'];
  chat_title: string | null;
  chat_language: string | null;
}

/** To be selected from `chats c`. */
export const chatTargetColumns = sql.raw(
  `c.id AS chat_row_id, c.platform AS chat_platform, c.account AS chat_account, c.chat_id AS chat_chat_id,
   c.thread_id AS chat_thread_id, c.kind AS chat_kind, c.title AS chat_title, c.language AS chat_language`,
);

export function toChatTarget(row: ChatTargetRecord): ChatTarget {
  return {
    chatRowId: row.chat_row_id,
    account: { platform: row.chat_platform, id: row.chat_account },
    place: {
      chatId: row.chat_chat_id,
      threadId: row.chat_thread_id,
      kind: row.chat_kind,
      title: row.chat_title ?? undefined,
    },
    ...(row.chat_language !== null && { language: row.chat_language }),
  };
}

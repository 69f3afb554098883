/** mailbox: messages that wait for files, taken by one gateway at a time. */
import {
  type AccountRef,
  type ChatTarget,
  type MailboxContent,
  mediaWaitMs,
  type MediaTask,
  type MessageMedia,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type ChatTargetRecord, chatTargetColumns, toChatTarget } from '../chat-target.ts';
import { type Database, run } from '../database.ts';

/**
 * Of a mailbox row: it waits for its files. Only so long: files of an account that no gateway serves come never.
 * By the database's clock, like everything that waits.
 */
export const waitsForMedia = sql.raw(
  `(media_due IS NOT NULL AND accepted_at > now() - interval '${mediaWaitMs / 1000} s')`,
);

/** Until when it does; null: it does not. */
export const mediaUntil = sql.raw(
  `CASE WHEN media_due IS NOT NULL THEN accepted_at + interval '${mediaWaitMs / 1000} s' END`,
);

interface TaskRecord extends ChatTargetRecord {
  inbox_id: number;
  session_id: string;
  content: MailboxContent;
}

/** Two gateways never get the same message: it is due again only after `holdMs`. */
export async function takeMedia(
  db: Database,
  account: AccountRef,
  { limit, holdMs }: { limit: number; holdMs: number },
): Promise<readonly MediaTask[]> {
  const rows = await run<TaskRecord>(
    db,
    sql`WITH due AS (
          SELECT b.session_id, b.seq FROM mailbox b JOIN chats c ON c.id = b.chat_row_id
          WHERE b.state = 'pending' AND b.media_due <= now()
            AND c.platform = ${account.platform} AND c.account = ${account.id}
          ORDER BY b.media_due LIMIT ${limit}::int FOR UPDATE OF b SKIP LOCKED)
        UPDATE mailbox b SET media_due = now() + ${holdMs}::int * interval '1 ms'
        FROM due, chats c
        WHERE b.session_id = due.session_id AND b.seq = due.seq AND c.id = b.chat_row_id
        RETURNING b.inbox_id, b.session_id, b.content, ${chatTargetColumns}`,
    'take_media',
  );
  return rows.flatMap((row) => taskOf(row, toChatTarget(row)));
}

function taskOf(row: TaskRecord, chat: ChatTarget): MediaTask[] {
  if (row.content.kind !== 'message') return [];
  const { messageId, media = [] } = row.content.message;
  const wanted = media.filter(isWanted);
  return [{ inboxId: row.inbox_id, sessionId: row.session_id, chat, messageId, wanted }];
}

export function isWanted({ state }: MessageMedia): boolean {
  return state.kind === 'wanted';
}

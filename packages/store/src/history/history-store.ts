/** The past of a chat, on a pool of its own. */
import type { HistoryStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, type DatabaseOptions, openDatabase, run, runOne } from '../database.ts';
import { acceptedMessages } from './accepted-messages.ts';
import { importRows } from './import-rows.ts';

function createHistoryStore(db: Database): HistoryStore {
  return {
    importRows: (input) => importRows(db, input),
    accepted: (sessionId) => acceptedMessages(db, sessionId),
    async countEvents(sessionIds, type) {
      const row = await runOne<{ events: number }>(
        db,
        sql`SELECT count(*)::int AS events FROM events
            WHERE session_id = ANY(${sql.param([...sessionIds])}::text[]) AND type = ${type}`,
      );
      return row?.events ?? 0;
    },
    async sessionsOfChat(account, place) {
      const rows = await run<{ id: string }>(
        db,
        sql`SELECT s.id FROM sessions s JOIN chats c ON c.id = s.chat_row_id
            WHERE c.platform = ${account.platform} AND c.account = ${account.id}
              AND c.chat_id = ${place.chatId} AND c.thread_id = ${place.threadId}
            ORDER BY s.created_at, s.id`,
      );
      return rows.map((row) => row.id);
    },
  };
}

/** Open the past alone: for importers and replays. */
export function openHistory(options: DatabaseOptions): HistoryStore & { close(): Promise<void> } {
  const db = openDatabase({ poolSize: 2, ...options });
  return { ...createHistoryStore(db), close: () => db.$client.end() };
}

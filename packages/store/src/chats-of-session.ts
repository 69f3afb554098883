/** chats: those whose messages go to one session. */
import { sql } from 'drizzle-orm';
import { run, type Transaction } from './database.ts';

/** Lock them in the order in which intake locks them, before the session's row: intake then waits, or we wait for it. */
export async function lockChatsOf(tx: Transaction, sessionId: string): Promise<void> {
  await run(
    tx,
    sql`SELECT id FROM chats WHERE session_id = ${sessionId}
          OR id IN (SELECT chat_row_id FROM chat_members WHERE session_id = ${sessionId}) ORDER BY platform, account, chat_id, thread_id
        FOR NO KEY UPDATE`,
  );
}

/** From now on their messages go to another session. */
export async function pointChats(tx: Transaction, fromSessionId: string, toSessionId: string): Promise<void> {
  await run(tx, sql`UPDATE chats SET session_id = ${toSessionId} WHERE session_id = ${fromSessionId}`);
  await run(tx, sql`UPDATE chat_members SET session_id = ${toSessionId} WHERE session_id = ${fromSessionId}`);
}

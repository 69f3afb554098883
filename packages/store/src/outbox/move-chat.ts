/** A place got a new name: the group became a supergroup. */
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';

export interface ChatMove {
  platform: string;
  account: string;
  fromChatId: string;
  toChatId: string;
}

interface Place {
  id: number;
  thread_id: string;
  session_id: string | null;
  chat_id: string;
}

/**
 * From now on the old id is an alias of the new one, for every thread of the chat; its session and waiting replies go
 * along. Where the new id was seen before, its row stays and takes the older session over. Repeating it changes nothing.
 */
export async function moveChat(tx: Transaction, move: ChatMove): Promise<void> {
  if (move.fromChatId === move.toChatId) return;
  // Exclusive: intake holds the row in share mode while it decides which session a message belongs to.
  const rows = await run<Place>(
    tx,
    sql`SELECT id, thread_id, session_id, chat_id FROM chats
      WHERE platform = ${move.platform} AND account = ${move.account} AND alias_of IS NULL
        AND chat_id IN (${move.fromChatId}, ${move.toChatId})
      ORDER BY id FOR UPDATE`,
  );
  for (const old of rows.filter((row) => row.chat_id === move.fromChatId)) {
    const known = rows.find((row) => row.chat_id === move.toChatId && row.thread_id === old.thread_id);
    if (known) await becomeAlias(tx, old, known);
    else await rename(tx, old, move);
  }
}

async function rename(tx: Transaction, old: Place, move: ChatMove): Promise<void> {
  await run(
    tx,
    sql`UPDATE chats SET chat_id = ${move.toChatId}, unreachable_at = NULL, unreachable_problem = NULL WHERE id = ${old.id}`,
  );
  await run(
    tx,
    sql`INSERT INTO chats (platform, account, chat_id, thread_id, kind, title, alias_of)
      SELECT platform, account, ${move.fromChatId}, thread_id, kind, title, id FROM chats WHERE id = ${old.id}
      ON CONFLICT (platform, account, chat_id, thread_id) DO UPDATE SET alias_of = excluded.alias_of`,
  );
}

async function becomeAlias(tx: Transaction, old: Place, known: Place): Promise<void> {
  await run(tx, sql`UPDATE chats SET alias_of = ${known.id} WHERE id = ${old.id} OR alias_of = ${old.id}`);
  if (old.session_id === null) return;
  await run(tx, sql`UPDATE chats SET session_id = ${old.session_id} WHERE id = ${known.id}`);
}

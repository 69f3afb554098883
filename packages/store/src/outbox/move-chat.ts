/** A place got a new name: the group became a supergroup. Told by an update (intake) or by a refused send (outbox). */
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
  chat_id: string;
}

/**
 * From now on the old id is an alias of the new one, for every thread of the chat; its session goes along, and operators'
 * grants hold for the new id too. Where the new id was seen before, its row stays and takes session and open work of the
 * older one over. Repeating it changes nothing.
 */
export async function moveChat(tx: Transaction, move: ChatMove): Promise<void> {
  if (move.fromChatId === move.toChatId) return;
  // The same lock and order as intake's: it holds the rows while it decides which session a message belongs to.
  const rows = await run<Place>(
    tx,
    sql`SELECT id, thread_id, chat_id FROM chats
        WHERE platform = ${move.platform} AND account = ${move.account} AND alias_of IS NULL
          AND chat_id IN (${move.fromChatId}, ${move.toChatId})
        ORDER BY platform, account, chat_id, thread_id FOR NO KEY UPDATE`,
  );
  for (const old of rows.filter((row) => row.chat_id === move.fromChatId)) {
    const known = rows.find((row) => row.chat_id === move.toChatId && row.thread_id === old.thread_id);
    if (known === undefined) await rename(tx, old, move);
    else await takeOver(tx, old, known);
  }
  await run(
    tx,
    sql`INSERT INTO access_grants (platform, kind, id, access)
        SELECT platform, kind, ${move.toChatId}::text, access FROM access_grants
        WHERE platform = ${move.platform} AND kind = 'chat' AND id = ${move.fromChatId} ON CONFLICT DO NOTHING`,
  );
}

async function rename(tx: Transaction, old: Place, move: ChatMove): Promise<void> {
  await run(
    tx,
    sql`UPDATE chats SET chat_id = ${move.toChatId}, unreachable_at = NULL, unreachable_problem = NULL
        WHERE id = ${old.id}::bigint`,
  );
  await run(
    tx,
    sql`INSERT INTO chats (platform, account, chat_id, thread_id, kind, title, alias_of)
        SELECT platform, account, ${move.fromChatId}::text, thread_id, kind, title, id FROM chats WHERE id = ${old.id}::bigint
        ON CONFLICT (platform, account, chat_id, thread_id) DO UPDATE SET alias_of = excluded.alias_of`,
  );
}

async function takeOver(tx: Transaction, old: Place, known: Place): Promise<void> {
  const to = sql`SET chat_row_id = ${known.id}::bigint WHERE chat_row_id = ${old.id}::bigint`;
  const statements = [
    sql`UPDATE chats t SET session_id = coalesce(o.session_id, t.session_id) FROM chats o
        WHERE t.id = ${known.id}::bigint AND o.id = ${old.id}::bigint`,
    sql`UPDATE chats SET alias_of = ${known.id}::bigint, session_id = CASE WHEN id = ${old.id}::bigint THEN NULL ELSE session_id END
        WHERE id = ${old.id}::bigint OR alias_of = ${old.id}::bigint`,
    sql`UPDATE outbox ${to} AND state IN ('open', 'pending', 'sending')`,
    sql`UPDATE mailbox ${to}`,
    sql`UPDATE turns ${to} AND state = 'running'`,
    sql`UPDATE signals ${to}`,
    sql`DELETE FROM chat_members o USING chat_members t WHERE o.chat_row_id = ${known.id}::bigint
          AND t.chat_row_id = ${old.id}::bigint AND t.user_id = o.user_id`,
    sql`UPDATE chat_members ${to}`,
  ];
  for (const statement of statements) await run(tx, statement);
}

/** The first session of a chat, or of one of its people: in one statement, since every newcomer waits for it. */
import { sql } from 'drizzle-orm';
import { insertSession, type NewSession } from '../create-session.ts';
import { runOne, type Transaction } from '../database.ts';
import { tell } from '../write-events.ts';

/**
 * Insert the session, point the chat at it, or that person in it, and tell of it. The chat's row is locked by the caller.
 * Gives the id.
 */
export async function beginSession(
  tx: Transaction,
  session: NewSession,
  memberId: string | undefined,
): Promise<string> {
  const { chatRowId, account } = session;
  const member = memberId ?? null;
  const row = await runOne<{ id: string }>(
    tx,
    sql`WITH begun AS (${insertSession(session)}),
        pointed AS (
          UPDATE chats c SET session_id = begun.id FROM begun WHERE c.id = ${chatRowId}::bigint AND ${member}::text IS NULL),
        seated AS (
          INSERT INTO chat_members (chat_row_id, user_id, session_id)
          SELECT ${chatRowId}::bigint, ${member}::text, begun.id FROM begun WHERE ${member}::text IS NOT NULL
          ON CONFLICT (chat_row_id, user_id) DO UPDATE SET session_id = excluded.session_id),
        ${tell(sql`SELECT begun.id, 'session:start', jsonb_build_object('type', 'session:start', 'sessionId', begun.id,
          'platform', ${account.platform}::text) FROM begun`)}
        SELECT id FROM begun`,
    'begin_session',
  );
  return (row as { id: string }).id;
}

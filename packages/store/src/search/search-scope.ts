/** Which sessions a session may search: what is said in a group stays there, what one person says follows that person. */
import { sql } from 'drizzle-orm';
import { type Executor, run } from '../database.ts';

/** Newest first; one person has rarely more, and a query names each of them. */
const maxSessions = 500;

/**
 * In a group only that chat's sessions; in a direct chat the direct sessions of that person over all linked
 * identities, or of that chat when nobody knows whom it is with. The asking session is always in it.
 *
 * returns  session ids; empty when the session is unknown
 */
export async function sessionsInScope(executor: Executor, sessionId: string): Promise<readonly string[]> {
  const rows = await run<{ id: string }>(
    executor,
    sql`WITH own AS (
        SELECT session.chat_kind, place.id AS place_id, place.platform, place.user_id
        FROM sessions session
        JOIN chats named ON named.id = session.chat_row_id
        JOIN chats place ON place.id = coalesce(named.alias_of, named.id)
        WHERE session.id = ${sessionId}
      ), person AS (
        SELECT linked.platform, linked.user_id
        FROM own JOIN identities known ON known.platform = own.platform AND known.user_id = own.user_id
        JOIN identities linked ON linked.person_id = known.person_id
        WHERE own.chat_kind = 'direct'
      ), places AS (
        SELECT place_id AS id FROM own
        UNION SELECT chat.id FROM own JOIN chats chat ON chat.alias_of = own.place_id
        UNION SELECT chat.id FROM person JOIN chats chat USING (platform, user_id) WHERE chat.kind = 'direct'
        UNION SELECT chat.id FROM own JOIN chats chat ON chat.platform = own.platform AND chat.user_id = own.user_id
          WHERE own.chat_kind = 'direct' AND chat.kind = 'direct'
      )
      SELECT session.id
      FROM places JOIN sessions session ON session.chat_row_id = places.id
      WHERE session.chat_kind = (SELECT chat_kind FROM own) OR session.id = ${sessionId}
      ORDER BY session.id = ${sessionId} DESC, session.updated_at DESC LIMIT ${maxSessions}`,
    'search_scope',
  );
  return rows.map((row) => row.id);
}

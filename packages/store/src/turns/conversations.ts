/** sessions: those that somebody in a chat may see and go on with. */
import type { Conversation } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, onOneConnection, run } from '../database.ts';
import { sessionsInScope } from '../search/search-scope.ts';

const wordsShown = 200;

interface ConversationRecord {
  id: string;
  title: string | null;
  quiet_ms: number;
  messages: number;
  last_words: string | null;
}

/** Newest activity first; those with nothing in them, or whose conversation a rotation took along, are left out. */
export function conversations(db: Database, sessionId: string): Promise<readonly Conversation[]> {
  return onOneConnection(db, async (connection) => {
    const ids = await sessionsInScope(connection, sessionId);
    if (ids.length === 0) return [];
    const records = await run<ConversationRecord>(
      connection,
      sql`SELECT s.id, s.title, (extract(epoch FROM now() - s.updated_at) * 1000)::float8 AS quiet_ms, live.messages,
            (SELECT left(p.piece->>'text', ${wordsShown}::int) FROM messages m CROSS JOIN LATERAL jsonb_array_elements(m.parts) AS p(piece)
             WHERE m.session_id = s.id AND m.active = 1 AND m.kind = 'person' AND p.piece->>'type' = 'text'
             ORDER BY m.seq DESC LIMIT 1) AS last_words
          FROM sessions s CROSS JOIN LATERAL (
            SELECT count(*)::int AS messages FROM messages m
            WHERE m.session_id = s.id AND m.active = 1 AND m.kind IN ('person', 'assistant', 'summary')) live
          WHERE s.id = ANY(${sql.param([...ids])}::text[]) AND (live.messages > 0 OR s.id = ${sessionId})
          ORDER BY s.updated_at DESC, s.id`,
      'conversations',
    );
    return records.map(({ id, title, quiet_ms, messages, last_words }) => ({
      id,
      title,
      quietMs: Math.max(0, quiet_ms),
      messages,
      lastWords: last_words,
    }));
  });
}

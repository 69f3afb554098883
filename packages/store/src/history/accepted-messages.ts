/** mailbox ⟕ turns ⟕ outbox ⟕ messages: what became of each accepted message. */
import type { AcceptedMessage } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

/** A turn that ran through a rotation has its first rows in the session that was left. */
export function acceptedMessages(db: Database, sessionId: string): Promise<AcceptedMessage[]> {
  return run<AcceptedMessage>(
    db,
    sql`WITH RECURSIVE line AS (
          SELECT id, parent_session_id FROM sessions WHERE id = ${sessionId}
          UNION SELECT s.id, s.parent_session_id FROM line JOIN sessions s ON s.id = line.parent_session_id
        )
        SELECT b.seq AS "mailboxSeq", b.message_id AS "messageId", b.state, b.turn_id AS "turnId", t.state AS "turnState",
               (SELECT o.state FROM outbox o WHERE o.session_id = b.session_id AND o.turn_id = b.turn_id
                  AND o.key = 'turn-' || b.turn_id) AS "replyState",
               (SELECT min(m.seq) FROM line JOIN messages m ON m.session_id = line.id WHERE m.turn_id = b.turn_id AND m.step = 0
                  AND m.platform_message_id = b.message_id) AS "rowSeq"
        FROM mailbox b LEFT JOIN turns t ON t.session_id = b.session_id AND t.id = b.turn_id
        WHERE b.session_id = ${sessionId} AND b.kind = 'message'
        ORDER BY b.seq`,
  );
}

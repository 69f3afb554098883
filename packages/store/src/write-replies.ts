/** outbox: new replies of a session, written once per key. */
import { accountKey, cleanText, type NewReply } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from './database.ts';

/** Write replies and tell the senders. A key that is there already is left as it is, except for previews, which
 * become the reply. */
export async function writeReplies(
  tx: Transaction,
  sessionId: string,
  replies: readonly NewReply[],
): Promise<void> {
  if (replies.length === 0) return;
  const rows = replies.map((reply) => ({
    key: reply.key,
    account: accountKey(reply.chat.account),
    chat_row_id: reply.chat.chatRowId,
    kind: reply.kind,
    text: cleanText(reply.text),
    reply_to_message_id: reply.replyToMessageId ?? null,
    turn_id: reply.turnId ?? null,
    interaction: reply.interaction ?? null,
    file: reply.file ?? null,
    once_in_ms: reply.onceInMs ?? null,
  }));
  tx.notices.add(rows.map((row) => ({ kind: 'reply', chatRowId: row.chat_row_id, account: row.account })));
  await run(
    tx,
    sql`INSERT INTO outbox (session_id, key, account, chat_row_id, kind, text, reply_to_message_id, turn_id, interaction, file)
        SELECT ${sessionId}::text, r.key, r.account, r.chat_row_id, r.kind, r.text, r.reply_to_message_id, r.turn_id,
               r.interaction, r.file
        FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS (key text, account text, chat_row_id bigint,
               kind text, text text, reply_to_message_id text, turn_id text, interaction jsonb, file jsonb, once_in_ms bigint)) WITH ORDINALITY AS r
        WHERE r.once_in_ms IS NULL OR NOT EXISTS (SELECT 1 FROM outbox o WHERE o.chat_row_id = r.chat_row_id
          AND split_part(o.key, '-', 1) = split_part(r.key, '-', 1)
          AND o.created_at > now() - r.once_in_ms * interval '1 millisecond')
        ORDER BY r.ordinality
        ON CONFLICT (session_id, key) DO UPDATE SET kind = excluded.kind, text = excluded.text, state = 'pending',
          reply_to_message_id = excluded.reply_to_message_id, interaction = excluded.interaction
          WHERE outbox.state IN ('open', 'pending') AND outbox.text = ''`,
    'write_replies',
  );
}

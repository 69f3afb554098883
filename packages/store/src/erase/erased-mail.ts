/** mailbox, inbox: what was accepted of erased messages, and what was accepted that quotes them. */
import { sql, type SQL } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';

/** A row of the mailbox that holds an erased message, an edit of it, or an answer to it. */
export interface MailRecord {
  session_id: string;
  seq: number;
  message_id: string | null;
  inbox_id: number | null;
  text: string;
  /** Its rows of the transcript; none before it is read. */
  row_ids: number[];
  /** Of its files that were fetched. */
  payload_ids: string[];
}

/**
 * Rows of the mailbox that meet `condition` (over `mailbox b`), with the rows of the transcript they became: each row of
 * a turn's claim is a part of step 0, in order. The transcript rows may be in the session a rotation left.
 */
export function readMail(
  tx: Transaction,
  sessionIds: readonly string[],
  condition: SQL,
): Promise<MailRecord[]> {
  const sessions = sql.param([...sessionIds]);
  return run<MailRecord>(
    tx,
    sql`SELECT b.session_id, b.seq, b.message_id, b.inbox_id,
          concat_ws(' ', b.content #>> '{message,text}', b.content #>> '{command,argument}') AS text,
          ARRAY(SELECT jsonb_path_query(b.content, '$.message.media[*].state.payloadId') #>> '{}') AS payload_ids,
          ARRAY(SELECT m.id FROM messages m WHERE m.session_id = ANY(${sessions}::text[]) AND m.kind = 'person'
            AND ((b.turn_id IS NOT NULL AND m.turn_id = b.turn_id AND m.step = 0 AND m.part = (
                  SELECT count(*) FROM mailbox o
                  WHERE o.session_id = b.session_id AND o.turn_id = b.turn_id AND o.seq < b.seq))
              OR (b.kind = 'message' AND m.platform_message_id = b.message_id AND EXISTS (
                  SELECT 1 FROM mailbox o WHERE o.session_id = ANY(${sessions}::text[]) AND o.turn_id = m.turn_id
                    AND o.chat_row_id = b.chat_row_id)))) AS row_ids
        FROM mailbox b WHERE b.session_id = ANY(${sessions}::text[]) AND ${condition} ORDER BY b.session_id, b.seq`,
  );
}

/** Empty what the rows carry; what waits is withdrawn. Ids of the message stay, so that it is not accepted again. */
export async function emptyMail(tx: Transaction, mail: readonly MailRecord[]): Promise<void> {
  if (mail.length === 0) return;
  await together(() => [
    run(
      tx,
      sql`UPDATE mailbox b SET sender_id = NULL, answer = NULL,
            content = jsonb_strip_nulls(jsonb_build_object('kind', b.kind,
              'command', CASE WHEN b.content ? 'command'
                THEN jsonb_build_object('name', b.content #> '{command,name}', 'argument', '') END,
              'message', jsonb_build_object('messageId', '', 'senderId', '', 'senderName', '', 'text', '',
                'sentAt', b.content #> '{message,sentAt}'))),
            reason = CASE WHEN b.state = 'pending' THEN 'deleted' ELSE b.reason END,
            done_at = CASE WHEN b.state = 'pending' THEN now() ELSE b.done_at END,
            state = CASE WHEN b.state = 'pending' THEN 'withdrawn' ELSE b.state END
          FROM ${named(mail)} WHERE b.session_id = r.session_id AND b.seq = r.seq`,
      'erase_mail',
    ),
    emptyInbox(tx, mail),
  ]);
  await dropFiles(tx, mail);
}

/** Files that nothing else points at: those of messages that no turn has read yet. The mail is empty already. */
async function dropFiles(tx: Transaction, mail: readonly MailRecord[]): Promise<void> {
  const files = mail.flatMap(({ session_id, payload_ids }) => payload_ids.map((id) => ({ session_id, id })));
  if (files.length === 0) return;
  await run(
    tx,
    sql`DELETE FROM payloads p USING jsonb_to_recordset(${JSON.stringify(files)}::jsonb) AS f(session_id text, id text)
        WHERE p.session_id = f.session_id AND p.id = f.id
          AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = p.session_id
            AND m.parts @> jsonb_build_array(jsonb_build_object('type', 'payload', 'payloadId', p.id)))
          AND NOT ${isInMail(sql`p.session_id`, sql`p.id`)}`,
    'erase_files_of_mail',
  );
}

/** A message that waits has a file of this content. */
export function isInMail(sessionId: SQL, payloadId: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM mailbox w WHERE w.session_id = ${sessionId} AND w.state = 'pending'
    AND w.content @> jsonb_build_object('message', jsonb_build_object('media', jsonb_build_array(
      jsonb_build_object('state', jsonb_build_object('payloadId', ${payloadId}))))))`;
}

/** Answers to erased messages lose what they quote, and its files. */
export async function emptyQuotes(tx: Transaction, mail: readonly MailRecord[]): Promise<void> {
  if (mail.length === 0) return;
  await together(() => [
    run(
      tx,
      sql`UPDATE mailbox b SET content = ${withoutAnswered(sql`(b.content #- '{message,replyTo}')`)} FROM ${named(mail)}
          WHERE b.session_id = r.session_id AND b.seq = r.seq`,
      'erase_mail_quotes',
    ),
    emptyInbox(tx, mail),
  ]);
  await dropFiles(tx, mail);
}

/** Files of the message that is answered; the answer's own stay. */
function withoutAnswered(content: SQL): SQL {
  return sql`CASE WHEN ${content} #> '{message,media}' IS NULL THEN ${content}
    ELSE jsonb_set(${content}, '{message,media}',
      jsonb_path_query_array(${content}, '$.message.media[*] ? (!exists(@.isAnswered))')) END`;
}

function named(mail: readonly MailRecord[]): SQL {
  const rows = mail.map(({ session_id, seq }) => ({ session_id, seq }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(session_id text, seq bigint)`;
}

/** The update as it was received holds everything. */
function emptyInbox(tx: Transaction, mail: readonly MailRecord[]): Promise<unknown> {
  const ids = mail.flatMap((row) => (row.inbox_id === null ? [] : [row.inbox_id]));
  return run(tx, sql`UPDATE inbox SET raw = NULL WHERE id = ANY(${sql.param(ids)}::bigint[])`, 'erase_raw');
}

/** Updates of the sessions that name one of the ids anywhere: what they quote stands in them too. Numbers that short are everywhere. */
export async function emptyNaming(
  tx: Transaction,
  sessionIds: readonly string[],
  ids: readonly string[],
): Promise<void> {
  const distinct = ids.filter((id) => id.length >= 5);
  if (distinct.length === 0) return;
  await run(
    tx,
    sql`UPDATE inbox i SET raw = NULL FROM mailbox b
        WHERE b.session_id = ANY(${sql.param([...sessionIds])}::text[]) AND i.id = b.inbox_id AND i.raw IS NOT NULL
          AND EXISTS (SELECT 1 FROM unnest(${sql.param(distinct)}::text[]) AS u(id)
            WHERE position(convert_to(u.id, 'UTF8') IN i.raw) > 0)`,
    'erase_naming_raw',
  );
}

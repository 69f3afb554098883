/** A changed text: it replaces what waits, becomes a note to what was read, and is nothing where we know no original. */
import { sql } from 'drizzle-orm';
import { run, runOne, type Transaction } from '../database.ts';
import { type Accepted, insertMailbox, toMailboxMessage } from './write-mailbox.ts';

/** Who corrects something after this time talks to the people of the chat, not to us; Telegram allows it for as long. */
const freshDays = 2;

/** Why the edit changes nothing, its inbox row being marked ignored; null when it was applied, or was no edit. */
export async function applyEdit(tx: Transaction, accepted: Accepted): Promise<string | null> {
  const { verdict, place } = accepted;
  if (verdict.kind !== 'edit') return null;
  const known = await findVersions(tx, accepted);
  const reason = whyIgnored(known);
  if (reason !== null) {
    await run(
      tx,
      sql`UPDATE inbox SET status = 'ignored', reason = ${reason}, raw = NULL WHERE id = ${accepted.inboxId}::bigint`,
      'ignore_edit',
    );
    return reason;
  }
  if (known?.latest_state === 'pending') {
    await replacePending(tx, accepted, known.latest_seq);
    return null;
  }
  const message = { ...toMailboxMessage(verdict.content), editedAt: verdict.content.editedAt };
  await insertMailbox(tx, [
    { accepted: { ...accepted, place }, content: { kind: 'edit', message }, waitMs: 0 },
  ]);
  return null;
}

interface Versions {
  /** State of the message as it was first said. */
  state: string;
  is_deleted: boolean;
  is_fresh: boolean;
  latest_seq: number;
  latest_state: string;
  /** Against the latest version that we know. */
  is_same: boolean;
  is_older: boolean;
}

/** The message and its newest version; an edited command has neither. */
function findVersions(tx: Transaction, { place, verdict }: Accepted): Promise<Versions | null> {
  if (verdict.kind !== 'edit') return Promise.resolve(null);
  const { messageId, text, editedAt } = verdict.content;
  return runOne<Versions>(
    tx,
    sql`WITH original AS (
          SELECT state, sender_id IS NULL OR EXISTS (
                   SELECT 1 FROM mailbox e WHERE e.session_id = o.session_id AND e.state IN ('pending', 'claimed')
                     AND e.kind = 'operator' AND e.content #>> '{command,name}' = 'erase_message'
                     AND e.content #>> '{command,argument}' = ${messageId}) AS is_deleted,
                 accepted_at > now() - ${freshDays}::int * interval '1 day' AS is_fresh FROM mailbox o
          WHERE chat_row_id = ${place.chatRowId}::bigint AND message_id = ${messageId} AND kind = 'message'
          ORDER BY accepted_at DESC LIMIT 1)
        SELECT original.state, original.is_deleted, original.is_fresh, b.seq AS latest_seq, b.state AS latest_state,
               b.content #>> '{message,text}' = ${text} AS is_same,
               coalesce((b.content #>> '{message,editedAt}')::timestamptz > ${editedAt}::timestamptz, false) AS is_older
        FROM original, mailbox b
        WHERE b.chat_row_id = ${place.chatRowId}::bigint AND b.message_id = ${messageId} AND b.kind IN ('message', 'edit')
        ORDER BY b.accepted_at DESC, b.seq DESC LIMIT 1`,
    'find_versions',
  );
}

/** What was withdrawn or is dead stays so. */
function whyIgnored(known: Versions | null): string | null {
  if (known === null || known.is_deleted) return 'not_addressed';
  if (known.state === 'withdrawn' || known.state === 'dead') return 'not_addressed';
  if (known.is_same) return 'unchanged';
  if (known.is_older) return 'outdated';
  return known.is_fresh ? null : 'too_late';
}

async function replacePending(tx: Transaction, { place, verdict }: Accepted, seq: number): Promise<void> {
  if (verdict.kind !== 'edit') return;
  const { text, editedAt } = verdict.content;
  await run(
    tx,
    sql`UPDATE mailbox SET content = jsonb_set(jsonb_set(content, '{message,text}', to_jsonb(${text}::text)),
            '{message,editedAt}', to_jsonb(${editedAt.toISOString()}::text))
        WHERE session_id = ${place.sessionId} AND seq = ${seq}::bigint AND state = 'pending'`,
    'replace_pending',
  );
}

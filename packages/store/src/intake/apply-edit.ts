/** A changed text: it replaces what waits, becomes a note to what was read, and is nothing where we know no original. */
import { sql } from 'drizzle-orm';
import { run, runOne, type Transaction } from '../database.ts';
import { type Accepted, insertMailbox, toMailboxMessage } from './write-mailbox.ts';

/** False when the edit was of no message of ours and its inbox row is marked ignored. Whatever is no edit is true. */
export async function applyEdit(tx: Transaction, accepted: Accepted): Promise<boolean> {
  const { verdict, place } = accepted;
  if (verdict.kind !== 'edit') return true;
  const original = await findOriginal(tx, place.chatRowId, verdict.content.messageId);
  if (original === 'pending') {
    await replacePending(tx, accepted);
    return true;
  }
  if (original === 'read') {
    const content = { kind: 'edit', message: toMailboxMessage(verdict.content) } as const;
    await insertMailbox(tx, [{ accepted, content, waitMs: 0 }]);
    return true;
  }
  await run(
    tx,
    sql`UPDATE inbox SET status = 'ignored', reason = 'not_addressed', raw = NULL WHERE id = ${accepted.inboxId}::bigint`,
    'ignore_edit',
  );
  return false;
}

/** An edited command never runs and never becomes a note; what was withdrawn or is dead stays so. */
async function findOriginal(
  tx: Transaction,
  chatRowId: number,
  messageId: string,
): Promise<'pending' | 'read' | null> {
  const row = await runOne<{ state: string }>(
    tx,
    sql`SELECT state FROM mailbox WHERE chat_row_id = ${chatRowId}::bigint AND message_id = ${messageId} AND kind = 'message'
        ORDER BY accepted_at DESC LIMIT 1`,
    'find_original',
  );
  if (row?.state === 'pending') return 'pending';
  return row?.state === 'claimed' || row?.state === 'done' ? 'read' : null;
}

async function replacePending(tx: Transaction, accepted: Accepted): Promise<void> {
  const { content } = accepted.verdict;
  await run(
    tx,
    sql`UPDATE mailbox SET content = jsonb_set(content, '{message,text}', to_jsonb(${content.text}::text))
        WHERE session_id = ${accepted.place.sessionId} AND chat_row_id = ${accepted.place.chatRowId}::bigint
          AND message_id = ${content.messageId} AND kind = 'message' AND state = 'pending'`,
    'replace_pending',
  );
}

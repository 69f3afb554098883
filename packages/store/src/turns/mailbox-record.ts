/** mailbox: the row as SQL gives it → core's MailboxRow. */
import type { MailboxContent, MailboxMessage, MailboxRow } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { type ChatTargetRecord, chatTargetColumns, toChatTarget } from '../chat-target.ts';
import { run, type Transaction } from '../database.ts';

export interface MailboxRecord extends ChatTargetRecord {
  seq: number;
  content: MailboxContent;
  accepted_at: Date;
  traceparent: string | null;
}

/** Rows of a session that meet `condition` (over `mailbox b`), in mailbox order. */
export function readMailbox(tx: Transaction, sessionId: string, condition: SQL): Promise<MailboxRow[]> {
  return read(tx, selectRows(sessionId, condition));
}

/** Named rows of a session and those that `and` finds, in mailbox order; a prepared statement, since every turn begins with it. */
export function readMailboxSeqs(
  tx: Transaction,
  sessionId: string,
  { seqs, and }: { seqs: readonly number[]; and: SQL },
): Promise<MailboxRow[]> {
  const condition = sql`b.seq = ANY(${sql.param([...seqs])}::bigint[] || ${and})`;
  return read(tx, selectRows(sessionId, condition), 'read_mailbox_seqs');
}

function selectRows(sessionId: string, condition: SQL): SQL {
  return sql`SELECT b.seq, b.content, b.accepted_at, b.traceparent, ${chatTargetColumns}
             FROM mailbox b JOIN chats c ON c.id = b.chat_row_id
             WHERE b.session_id = ${sessionId} AND ${condition} ORDER BY b.seq`;
}

async function read(tx: Transaction, query: SQL, name?: string): Promise<MailboxRow[]> {
  const rows = await run<MailboxRecord>(tx, query, name);
  return rows.map(toMailboxRow);
}

export function toMailboxRow(row: MailboxRecord): MailboxRow {
  return {
    seq: row.seq,
    chat: toChatTarget(row),
    content: withDates(row.content),
    acceptedAt: row.accepted_at,
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
  };
}

/** JSON keeps a date as text. */
function withDates(content: MailboxContent): MailboxContent {
  if (content.kind === 'operator') return content;
  const message: MailboxMessage = { ...content.message, sentAt: new Date(content.message.sentAt) };
  return { ...content, message };
}

/** mailbox: what waits for a session's holder, in the order in which it is taken. */
import type { MailboxRow } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { chatTargetColumns } from '../chat-target.ts';
import { run, type Transaction } from '../database.ts';
import { urgentCommands } from '../intake/judge.ts';
import { mediaUntil } from '../media/take-media.ts';
import type { WaitingRow } from './choose-rows.ts';
import { type MailboxRecord, toMailboxRow } from './mailbox-record.ts';

/** Bytes of a row's content, as stored, that is read along; a longer one is read once it is chosen. */
const readAlong = 8_000;

type WaitingRecord = Omit<WaitingRow, 'sentAt'> & { sentAt: string | null; edits: boolean } & Omit<
    MailboxRecord,
    'content'
  > & { content: MailboxRecord['content'] | null };

export interface Waiting {
  rows: readonly WaitingRow[];
  /** These rows whole, as far as that is all that a turn of them takes; null: they are to be read, for edits or a long one. */
  whole(seqs: readonly number[]): MailboxRow[] | null;
}

/** Open rows, urgent commands first, then oldest first; edits wait for company and are not among them. */
export async function waitingRows(tx: Transaction, sessionId: string, limit: number): Promise<Waiting> {
  const records = await run<WaitingRecord>(
    tx,
    sql`SELECT b.seq, b.kind, b.chat_row_id AS "chatRowId", b.attempts, b.sender_id AS "senderId",
               b.content #>> '{message,series}' AS series, b.content #>> '{message,sentAt}' AS "sentAt",
               coalesce(length(b.content #>> '{message,text}'), 0) AS characters,
               greatest(0, ceil(extract(epoch FROM greatest(b.not_before, ${mediaUntil}) - clock_timestamp()) * 1000))::int AS "waitMs",
               CASE WHEN pg_column_size(b.content) <= ${readAlong}::int THEN b.content END AS content, b.accepted_at, b.traceparent,
               ${chatTargetColumns},
               EXISTS (SELECT 1 FROM mailbox WHERE session_id = ${sessionId} AND state IN ('pending', 'claimed')
                         AND state = 'pending' AND kind = 'edit') AS edits
        FROM mailbox b JOIN chats c ON c.id = b.chat_row_id
        WHERE b.session_id = ${sessionId} AND b.state IN ('pending', 'claimed')
          AND (b.state = 'pending' OR b.turn_id IS NULL) AND b.kind <> 'edit'
        ORDER BY (b.kind = 'command' AND b.content->'command'->>'name' = ANY(${sql.param([...urgentCommands])}::text[])) DESC, b.seq
        LIMIT ${limit}::int`,
    'waiting_rows',
  );
  return { rows: records.map(toWaitingRow), whole: (seqs) => wholeOf(records, new Set(seqs)) };
}

function toWaitingRow({ seq, kind, chatRowId, attempts, ...record }: WaitingRecord): WaitingRow {
  const { senderId, characters, waitMs, series, sentAt } = record;
  const when = { waitMs, sentAt: new Date(sentAt ?? 0) };
  return { seq, kind, chatRowId, attempts, senderId, characters, series: series ?? undefined, ...when };
}

function wholeOf(records: readonly WaitingRecord[], seqs: ReadonlySet<number>): MailboxRow[] | null {
  if (records[0]?.edits) return null;
  const whole: MailboxRow[] = [];
  for (const { content, ...record } of records) {
    if (!seqs.has(record.seq)) continue;
    if (content === null) return null;
    whole.push(toMailboxRow({ ...record, content }));
  }
  return whole.sort((a, b) => a.seq - b.seq);
}

/** mailbox: accepted messages and commands at the end of their sessions, in order. */
import {
  acceptMedia,
  type IncomingEdit,
  type IncomingMessage,
  type IntakePolicy,
  type MailboxContent,
  type MailboxMessage,
  type MediaKind,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';
import { isWanted } from '../media/take-media.ts';
import type { Spoken } from './judge.ts';
import type { LockedPlace } from './places.ts';

/** An accepted update whose inbox row is new. */
export interface Accepted {
  inboxId: number;
  verdict: Spoken;
  place: LockedPlace;
  traceparent?: string;
}

export interface NewMailboxRow {
  accepted: Accepted;
  content: MailboxContent;
  waitMs: number;
}

/** Write messages and commands; edits and signals go elsewhere. */
export function writeMailbox(
  tx: Transaction,
  policy: IntakePolicy,
  fresh: readonly Accepted[],
): Promise<void> {
  const rows = fresh.flatMap((accepted): NewMailboxRow[] => {
    const { verdict } = accepted;
    if (verdict.kind === 'overheard')
      return [
        { accepted, content: { kind: 'overheard', message: toMailboxMessage(verdict.content) }, waitMs: 0 },
      ];
    if (verdict.kind !== 'message' && verdict.kind !== 'command') return [];
    const { command, series } = verdict.content;
    const message = toMailboxMessage(verdict.content, policy.media);
    if (verdict.kind === 'command' && command !== undefined) {
      return [{ accepted, content: { kind: 'command', command, message }, waitMs: 0 }];
    }
    return [
      {
        accepted,
        content: { kind: 'message', message },
        waitMs: series === undefined ? 0 : policy.waitForMoreMs,
      },
    ];
  });
  return insertMailbox(tx, rows);
}

/** `fetched`: kinds of files that the message waits for. */
export function toMailboxMessage(
  content: IncomingMessage | IncomingEdit,
  fetched: readonly MediaKind[] = [],
): MailboxMessage {
  return {
    messageId: content.messageId,
    senderId: content.sender.id,
    senderName: content.sender.name,
    text: content.text,
    sentAt: content.kind === 'message' ? content.sentAt : content.editedAt,
    ...(content.kind === 'message' && content.replyTo !== undefined ? { replyTo: content.replyTo } : {}),
    ...(content.kind === 'message' && content.series !== undefined ? { series: content.series } : {}),
    ...(content.kind === 'message' && content.media !== undefined
      ? { media: content.media.map((media) => acceptMedia(media, fetched)) }
      : {}),
    ...(content.kind === 'message' && content.interaction !== undefined
      ? { interaction: content.interaction }
      : {}),
  };
}

/** Give each row the next seq of its session, which this transaction has locked, and tell listeners. */
export async function insertMailbox(tx: Transaction, rows: readonly NewMailboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  const records = rows.map(({ accepted, content, waitMs }) => {
    const { seqs, chatRowId } = accepted.place;
    const seq = seqs.next++;
    const { content: said } = accepted.verdict;
    return {
      session_id: seqs.sessionId,
      seq,
      chat_row_id: chatRowId,
      kind: columnOf(content),
      content,
      inbox_id: accepted.inboxId,
      message_id: said.messageId,
      sender_id: said.sender.id,
      wait_ms: waitMs,
      traceparent: accepted.traceparent ?? null,
      has_wanted: content.kind === 'message' && (content.message.media ?? []).some(isWanted),
    };
  });
  const sessionIds = new Set(records.map((record) => record.session_id));
  tx.notices.add([...sessionIds].map((sessionId) => ({ kind: 'mailbox', sessionId })));
  await together(() => [
    run(
      tx,
      sql`INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content, inbox_id, message_id, sender_id, not_before, media_due,
                traceparent)
          SELECT r.session_id, r.seq, r.chat_row_id, r.kind, r.content, r.inbox_id, r.message_id, r.sender_id,
                 now() + r.wait_ms * interval '1 ms', CASE WHEN r.has_wanted THEN now() END, r.traceparent
          FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb) AS r(session_id text, seq bigint, chat_row_id bigint,
                 kind text, content jsonb, inbox_id bigint, message_id text, sender_id text, wait_ms int,
                 has_wanted boolean, traceparent text)`,
      'insert_mailbox',
    ),
    raiseSeqs(tx, rows),
  ]);
}

/** Edits and what was overheard start no turn: both wait as `edit` for one that comes along. */
function columnOf({ kind }: MailboxContent): string {
  return kind === 'overheard' ? 'edit' : kind;
}

async function raiseSeqs(tx: Transaction, rows: readonly NewMailboxRow[]): Promise<void> {
  const counters = [...new Set(rows.map((row) => row.accepted.place.seqs))];
  await run(
    tx,
    sql`UPDATE sessions s SET next_mailbox_seq = u.next
        FROM unnest(${sql.param(counters.map((counter) => counter.sessionId))}::text[],
                    ${sql.param(counters.map((counter) => counter.next))}::bigint[]) AS u(id, next)
        WHERE s.id = u.id`,
    'raise_mailbox_seqs',
  );
}

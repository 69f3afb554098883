/** Reading half of the outbox: what one account may send now. */
import {
  accountKey,
  type ChatPlace,
  type Interaction,
  type OutboxPart,
  type OutboxReply,
  type OutgoingFile,
  type PartForm,
  type Platform,
} from '@palimpsest/core';
import { type SQL, sql } from 'drizzle-orm';
import { type Database, run, runOne } from '../database.ts';

interface ReplyRecord {
  id: number;
  session_id: string;
  kind: OutboxReply['kind'];
  text: string;
  reply_to_message_id: string | null;
  turn_id: string | null;
  interaction: Interaction | null;
  file: OutgoingFile | null;
  attempts: number;
  chat_row_id: number;
  platform: Platform;
  account: string;
  chat_id: string;
  thread_id: string;
  chat_kind: ChatPlace['kind'];
  title: string | null;
  language: string | null;
  asked_at: Date | null;
  traceparent: string | null;
}

export interface PartRecord {
  id: number;
  reply_id: number;
  position: number;
  text: string;
  form: PartForm | null;
  state: OutboxPart['state'];
  attempts: number;
  nonce: string;
  may_be_out: boolean;
  platform_message_id: string | null;
}

/**
 * The oldest unfinished reply of each chat of an account. A chat that was renamed is one chat with its new name, so
 * that its replies stay in one order. `open` replies, of which only previews are out, wait for their turn and hold nobody back.
 */
const oldestOfEachChat = (account: string, which: SQL = sql`true`): SQL => sql`
  SELECT DISTINCT ON (coalesce(named.alias_of, named.id))
    reply.id, reply.session_id, reply.kind, reply.text, reply.reply_to_message_id, reply.turn_id, reply.interaction,
    reply.file, reply.attempts, coalesce(named.alias_of, named.id) AS chat_row_id, reply.not_before
  FROM outbox reply JOIN chats named ON named.id = reply.chat_row_id
  WHERE reply.account = ${account} AND reply.state IN ('pending', 'sending') AND ${which}
  ORDER BY coalesce(named.alias_of, named.id), reply.id`;

const dueAt = sql.raw('greatest(first.not_before, chat.gate_until, gate.gate_until)');

/** At most one reply a chat, oldest first; parts in order, a part that a dead sender left is still `sending`. */
export function dueReplies(db: Database, account: string, limit: number): Promise<readonly OutboxReply[]> {
  return readDue(db, 'outbox_due', { account, limit, candidates: oldestOfEachChat(account) });
}

export async function stillDue(
  db: Database,
  { id, sessionId, chat }: Pick<OutboxReply, 'id' | 'sessionId' | 'chat'>,
): Promise<OutboxReply | null> {
  const account = accountKey(chat.account);
  const candidates = oldestOfEachChat(account, sql`reply.session_id = ${sessionId} AND reply.id = ${id}`);
  const [reply = null] = await readDue(db, 'outbox_still_due', { account, limit: 1, candidates });
  return reply;
}

async function readDue(
  db: Database,
  name: string,
  { account, limit, candidates }: { account: string; limit: number; candidates: SQL },
): Promise<readonly OutboxReply[]> {
  const records = await run<ReplyRecord>(
    db,
    sql`WITH first AS (${candidates})
      SELECT first.*, chat.platform, chat.account, chat.chat_id, chat.thread_id, chat.kind AS chat_kind, chat.title,
        chat.language, asked.accepted_at AS asked_at,
        coalesce(t.traceparent, asked.traceparent) AS traceparent
      FROM first JOIN chats chat ON chat.id = first.chat_row_id
      LEFT JOIN turns t ON t.session_id = first.session_id AND t.id = first.turn_id
      LEFT JOIN mailbox asked ON asked.session_id = t.session_id AND asked.seq = t.first_mailbox_seq
      LEFT JOIN account_gates gate ON gate.account = ${account}
      WHERE ${dueAt} <= now()
      ORDER BY first.id LIMIT ${limit}`,
    name,
  );
  if (records.length === 0) return [];
  const parts = await partsOf(db, records);
  return records.map((record) =>
    toReply(
      record,
      parts.filter((part) => part.reply_id === record.id),
    ),
  );
}

/** Milliseconds until the next reply of the account is due, 0 = now, null = none waits. Database clock. */
export async function nextDueInMs(db: Database, account: string): Promise<number | null> {
  const row = await runOne<{ wait_ms: number | null }>(
    db,
    sql`WITH first AS (${oldestOfEachChat(account)})
      SELECT ceil(extract(epoch FROM min(${dueAt}) - now()) * 1000)::float8 AS wait_ms
      FROM first JOIN chats chat ON chat.id = first.chat_row_id
      LEFT JOIN account_gates gate ON gate.account = ${account}`,
    'outbox_next_due',
  );
  const waitMs = row?.wait_ms ?? null;
  return waitMs === null ? null : Math.max(0, waitMs);
}

function partsOf(db: Database, replies: readonly ReplyRecord[]): Promise<PartRecord[]> {
  const sessions = replies.map((reply) => reply.session_id);
  const ids = replies.map((reply) => reply.id);
  return run<PartRecord>(
    db,
    sql`SELECT part.id, part.reply_id, part.position, part.text, part.form, part.state, part.attempts, part.nonce,
          part.may_be_out, part.platform_message_id
      FROM unnest(${sql.param(sessions)}::text[], ${sql.param(ids)}::bigint[]) AS wanted (session_id, reply_id)
      JOIN outbox_parts part USING (session_id, reply_id)
      ORDER BY part.reply_id, part.position`,
    'outbox_parts_of',
  );
}

function toReply(record: ReplyRecord, parts: readonly PartRecord[]): OutboxReply {
  return {
    id: record.id,
    sessionId: record.session_id,
    kind: record.kind,
    text: record.text,
    replyToMessageId: record.reply_to_message_id ?? undefined,
    turnId: record.turn_id ?? undefined,
    interaction: record.interaction ?? undefined,
    ...(record.file !== null && { file: record.file }),
    ...(record.asked_at !== null && { askedAt: record.asked_at }),
    ...(record.traceparent !== null && { traceparent: record.traceparent }),
    attempts: record.attempts,
    chat: {
      chatRowId: record.chat_row_id,
      account: { platform: record.platform, id: record.account },
      place: {
        chatId: record.chat_id,
        threadId: record.thread_id,
        kind: record.chat_kind,
        title: record.title ?? undefined,
      },
      ...(record.language !== null && { language: record.language }),
    },
    parts: parts.map(toPart),
  };
}

export function toPart(record: PartRecord): OutboxPart {
  const { id, position, text, form, state, attempts, nonce, platform_message_id: messageId } = record;
  return {
    id,
    index: position,
    text,
    ...(form !== null && { form }),
    state,
    attempts,
    nonce,
    // What is edited is either changed or not.
    mayBeOut: messageId === null && (record.may_be_out || state === 'sending'),
    ...(messageId !== null && { shownAs: messageId }),
  };
}

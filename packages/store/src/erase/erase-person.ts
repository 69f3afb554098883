/** A person, everywhere: direct sessions whole, rows in groups, who they are. */
import {
  GatewayError,
  type ErasedCounts,
  type EraseRequest,
  type Lease,
  type Platform,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, transaction, type Transaction } from '../database.ts';
import { checkLease } from '../with-lease.ts';
import { closeErasure, writeErasure } from './close-erasure.ts';
import { emptyMail, emptyQuotes, readMail } from './erased-mail.ts';
import { eraseRows } from './erase-rows.ts';
import { forgetWho } from './forget-who.ts';
import { type ErasedSession, lockSessions, withFamily } from './lock-sessions.ts';
import { jsonOf, personGround, type PersonGround } from './person-ground.ts';
import { wipeSessions } from './wipe-sessions.ts';

export interface PersonToErase {
  who: { platform: Platform; userId: string };
  asked?: { lease: Lease; request: EraseRequest };
}

export function erasePerson(db: Database, { who, asked }: PersonToErase): Promise<ErasedCounts> {
  return transaction(db, async (tx) => {
    const ground = await personGround(tx, { platform: who.platform, user_id: who.userId });
    if (ground === null)
      throw new GatewayError(
        'row_missing',
        `nobody on ${who.platform} with the id ${who.userId} is known here`,
      );
    await lockChats(tx, ground.directChats);
    const sessions = await lockAll(tx, ground);
    if (asked) await checkLease(tx, asked.lease);
    const own = asked ? { id: asked.lease.sessionId, seq: asked.request.row.seq } : null;
    const inGroups = await eraseInGroups(tx, ground, sessions.groups);
    const direct = await wipeSessions(tx, { sessionIds: sessions.direct.map(({ id }) => id), own });
    const counts = sum(inGroups, direct);
    await forgetWho(tx, ground, asked?.request.row.chat.chatRowId ?? null);
    await writeErasure(
      tx,
      [...sessions.direct, ...sessions.groups].map(({ id }) => id),
      { scope: 'person', counts },
    );
    if (own) await closeErasure(tx, own.id, { request: asked?.request, counts });
    return counts;
  });
}

/** Before sessions, and in the order in which intake locks them. */
async function lockChats(tx: Transaction, ids: readonly number[]): Promise<void> {
  await run(
    tx,
    sql`SELECT id FROM chats WHERE id = ANY(${sql.param([...ids])}::bigint[])
        ORDER BY platform, account, chat_id, thread_id FOR NO KEY UPDATE`,
    'erase_lock_chats',
  );
}

/** One lock over both kinds, in one order. */
async function lockAll(
  tx: Transaction,
  { directSessions, groupSessions }: PersonGround,
): Promise<{ direct: ErasedSession[]; groups: ErasedSession[] }> {
  const groups = await withFamily(tx, groupSessions);
  const direct = new Set(await withFamily(tx, directSessions));
  const locked = await lockSessions(tx, [...direct, ...groups]);
  return {
    direct: locked.filter(({ id }) => direct.has(id)),
    groups: locked.filter(({ id }) => !direct.has(id)),
  };
}

async function eraseInGroups(
  tx: Transaction,
  { identities, names }: PersonGround,
  groups: readonly ErasedSession[],
): Promise<ErasedCounts> {
  const sessionIds = groups.map(({ id }) => id);
  const theirs = sql`EXISTS (SELECT 1 FROM ${jsonOf(identities)} JOIN chats c ON c.platform = p.platform
    WHERE c.id = b.chat_row_id AND p.user_id = b.sender_id)`;
  const mail = await readMail(tx, sessionIds, theirs);
  const messageIds = mail.flatMap((row) => (row.message_id === null ? [] : [row.message_id]));
  const answers = await readMail(
    tx,
    sessionIds,
    sql`(b.content #>> '{message,replyTo,messageId}' = ANY(${sql.param(messageIds)}::text[])
      OR b.content #>> '{message,replyTo,senderName}' = ANY(${sql.param([...names])}::text[]))`,
  );
  const { counts } = await eraseRows(tx, {
    sessionIds,
    ownId: null,
    rowIds: [...(await rowsOfSender(tx, sessionIds, identities)), ...mail.flatMap((row) => row.row_ids)],
    answeringRowIds: answers.flatMap((row) => row.row_ids),
    texts: mail.map((row) => row.text),
  });
  await emptyMail(tx, mail);
  await emptyQuotes(tx, answers);
  return counts;
}

async function rowsOfSender(
  tx: Transaction,
  sessionIds: readonly string[],
  identities: PersonGround['identities'],
): Promise<number[]> {
  const rows = await run<{ id: number }>(
    tx,
    sql`SELECT m.id FROM messages m JOIN sessions s ON s.id = m.session_id
        JOIN ${jsonOf(identities)} ON p.platform = s.platform AND p.user_id = m.sender_id
        WHERE m.session_id = ANY(${sql.param([...sessionIds])}::text[])`,
    'erase_rows_of_sender',
  );
  return rows.map((row) => row.id);
}

function sum(one: ErasedCounts, other: ErasedCounts): ErasedCounts {
  return {
    sessions: one.sessions + other.sessions,
    messages: one.messages + other.messages,
    quotes: one.quotes + other.quotes,
    summaries: one.summaries + other.summaries,
    payloads: one.payloads + other.payloads,
    undone: one.undone + other.undone,
  };
}

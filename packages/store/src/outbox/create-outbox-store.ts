import type { ChatPlace, ChatTarget, OutboxStore, Platform } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction } from '../database.ts';
import { dueReplies, nextDueInMs, stillDue } from './due-replies.ts';
import { closeGate, failReply, holdReply, markUnreachable, openChat } from './hold-replies.ts';
import { moveChat } from './move-chat.ts';
import { endedTurn, openPreview, previewShown, turnRuns, writtenSoFar } from './previews.ts';
import { forgetMessage, partSending, partSent, partUnknown } from './send-parts.ts';
import { beginReply, replaceRest } from './store-parts.ts';

/**
 * Replies and their parts on Postgres. `account` is core's accountKey everywhere.
 *
 *   (open, with previews) → pending → begin → sending → partSent … → sent (unknown when the answer to one of its parts was lost)
 *                                           ↘ wait → pending      ↘ fail → failed, dead, cancelled
 */
export function createOutboxStore(db: Database): OutboxStore {
  return {
    due: (account, limit) => dueReplies(db, account, limit),
    stillDue: (reply) => stillDue(db, reply),
    nextDueInMs: (account) => nextDueInMs(db, account),
    begin: (replyId, parts) => beginReply(db, replyId, parts),
    replaceRest: (replyId, parts) => replaceRest(db, replyId, parts),
    partSending: (part) => partSending(db, part),
    partSent: (partId, ...receipt) => partSent(db, partId, ...receipt),
    partUnknown: (partId, sendAgain) => partUnknown(db, partId, sendAgain),
    wait: (replyId, hold) => holdReply(db, replyId, hold),
    fail: (replyId, state, problem) => failReply(db, replyId, state, problem),
    markUnreachable: (chatRowId, problem) => markUnreachable(db, chatRowId, problem),
    moveChat: (chatRowId, toChatId) => moveChatOfRow(db, chatRowId, toChatId),
    forgetMessage: (partId) => forgetMessage(db, partId),
    closeGate: (chat, hold) => closeGate(db, chat, hold),
    openChat: (account, place) => openChat(db, account, place),
    busyChats: (account) => busyChats(db, account),
    writtenSoFar: (account) => writtenSoFar(db, account),
    openPreview: (of) => openPreview(db, of),
    previewShown: (partId, platformMessageId) => previewShown(db, partId, platformMessageId),
    turnRuns: (sessionId, turnId) => turnRuns(db, sessionId, turnId),
    endedTurn: (replyId) => endedTurn(db, replyId),
  };
}

function moveChatOfRow(db: Database, chatRowId: number, toChatId: string): Promise<void> {
  return transaction(db, async (tx) => {
    const place = await runOne<{
      platform: string;
      account: string;
      chat_id: string;
      alias_of: number | null;
    }>(tx, sql`SELECT platform, account, chat_id, alias_of FROM chats WHERE id = ${chatRowId}`);
    if (place === null || place.alias_of !== null) return;
    await moveChat(tx, {
      platform: place.platform,
      account: place.account,
      fromChatId: place.chat_id,
      toChatId,
    });
  });
}

interface BusyRecord {
  id: number;
  platform: Platform;
  account: string;
  chat_id: string;
  thread_id: string;
  kind: ChatPlace['kind'];
}

/** Chats with a running turn whose holder is alive; a dead one's turn shows no typing until it is taken up again. */
async function busyChats(db: Database, account: string): Promise<readonly ChatTarget[]> {
  const chats = await run<BusyRecord>(
    db,
    sql`SELECT DISTINCT chat.id, chat.platform, chat.account, chat.chat_id, chat.thread_id, chat.kind
      FROM turns turn
      JOIN sessions session ON session.id = turn.session_id
      JOIN chats named ON named.id = turn.chat_row_id
      JOIN chats chat ON chat.id = coalesce(named.alias_of, named.id)
      WHERE turn.state = 'running' AND session.lease_until > now()
        AND chat.platform || '-' || chat.account = ${account}
      ORDER BY chat.id`,
    'outbox_busy_chats',
  );
  return chats.map((chat) => ({
    chatRowId: chat.id,
    account: { platform: chat.platform, id: chat.account },
    place: { chatId: chat.chat_id, threadId: chat.thread_id, kind: chat.kind },
  }));
}

/** chats: the newest message seen, for backfill, and that the chat is alive. */
import type { AccountRef, ChatPlace, Sender } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { isSpoken, type Verdict } from './judge.ts';
import { placeKey } from './places.ts';

interface Seen {
  chatId: string;
  threadId: string;
  messageId: string | null;
  title: string | null;
  language: string | null;
  /** Whom a direct chat is with. */
  userId: string | null;
  isServed: boolean;
  /** Messages of other bots behind the last one of a person, and whether a person spoke. */
  bots: number;
  isPerson: boolean;
}

/**
 * Note what was seen in known chats, refused messages too: a backfill must not read them again. Chats of refused people
 * are not made. The rows are locked already (lockPlaces).
 */
export async function noteSeen(
  tx: Transaction,
  account: AccountRef,
  verdicts: readonly Verdict[],
): Promise<void> {
  const seen = new Map<string, Seen>();
  for (const verdict of verdicts) {
    const origin = isSpoken(verdict) ? verdict.content : verdict.kind === 'refused' ? verdict.origin : {};
    if (origin.chat === undefined) continue;
    const key = placeKey(origin.chat);
    const isServed = isSpoken(verdict);
    const isNews = isServed && verdict.kind !== 'edit';
    seen.set(key, join(seen.get(key), { ...origin, chat: origin.chat, isServed, isNews }));
  }
  if (seen.size === 0) return;
  await run(
    tx,
    sql`WITH s AS (
          SELECT c.id, r.* FROM chats c
          JOIN jsonb_to_recordset(${JSON.stringify([...seen.values()])}::jsonb)
            AS r("chatId" text, "threadId" text, "messageId" text, title text, language text, "userId" text,
                 "isServed" boolean, bots int, "isPerson" boolean)
            ON c.chat_id = r."chatId" AND c.thread_id = r."threadId"
          WHERE c.platform = ${account.platform} AND c.account = ${account.id})
        UPDATE chats c SET last_seen_at = now(),
          last_message_id = CASE WHEN s."messageId" IS NULL OR (length(c.last_message_id), c.last_message_id COLLATE "C")
                                   >= (length(s."messageId"), s."messageId" COLLATE "C")
                                 THEN c.last_message_id ELSE s."messageId" END,
          title = coalesce(s.title, c.title), language = coalesce(s.language, c.language),
          user_id = coalesce(c.user_id, s."userId"),
          bot_streak = CASE WHEN s."isPerson" THEN 0 ELSE c.bot_streak END + s.bots,
          bot_streak_at = CASE WHEN s.bots > 0 THEN now() ELSE c.bot_streak_at END,
          unreachable_at = CASE WHEN s."isServed" THEN NULL ELSE c.unreachable_at END,
          unreachable_problem = CASE WHEN s."isServed" THEN NULL ELSE c.unreachable_problem END
        FROM s WHERE c.id = s.id`,
    'note_seen',
  );
}

interface Origin {
  chat: ChatPlace;
  sender?: Sender;
  messageId?: string;
  isServed: boolean;
  /** Somebody served said something new. */
  isNews: boolean;
}

function join(before: Seen | undefined, origin: Origin): Seen {
  const { chat, sender, isServed, isNews } = origin;
  const isBot = sender?.isBot === true;
  const messageId = origin.messageId ?? null;
  const partner = isServed && chat.kind === 'direct' ? sender : undefined;
  return {
    chatId: chat.chatId,
    threadId: chat.threadId,
    messageId: isNewer(messageId, before?.messageId ?? null) ? messageId : (before?.messageId ?? null),
    title: chat.title ?? before?.title ?? null,
    language: partner?.language ?? before?.language ?? null,
    userId: partner?.id ?? before?.userId ?? null,
    isServed: isServed || (before?.isServed ?? false),
    bots: isNews ? (isBot ? (before?.bots ?? 0) + 1 : 0) : (before?.bots ?? 0),
    isPerson: (isNews && !isBot) || (before?.isPerson ?? false),
  };
}

/** Ids are whole numbers too large for a number: the longer one is newer, then the greater text. */
function isNewer(id: string | null, than: string | null): boolean {
  if (id === null || than === null) return than === null;
  return id.length === than.length ? id > than : id.length > than.length;
}

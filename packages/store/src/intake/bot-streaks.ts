/** chats: how often other bots spoke in a place since a person did. */
import type { ChatPlace, IncomingUpdate, IntakePolicy } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { placeKey } from './places.ts';

/** Where nobody wrote for so long, bots begin anew. */
const restMinutes = 60;

/** By placeKey; only asked where other bots are heard and one of them wrote. */
export async function findBotStreaks(
  tx: Transaction,
  policy: IntakePolicy,
  updates: readonly IncomingUpdate[],
): Promise<ReadonlyMap<string, number>> {
  const places = updates.flatMap(({ content }) =>
    (content.kind === 'message' || content.kind === 'edit') && content.sender.isBot ? [content.chat] : [],
  );
  if (places.length === 0 || (policy.allowBots ?? 'none') === 'none') return new Map();
  const { platform, id } = policy.account;
  const rows = await run<{ chat_id: string; thread_id: string; bot_streak: number }>(
    tx,
    sql`SELECT c.chat_id, c.thread_id, c.bot_streak FROM chats c
        WHERE c.platform = ${platform} AND c.account = ${id} AND c.chat_id = ANY(${chatIds(places)}::text[])
          AND c.bot_streak_at > now() - ${restMinutes} * interval '1 minute'`,
    'bot_streaks',
  );
  return new Map(
    rows.map((row) => [placeKey({ chatId: row.chat_id, threadId: row.thread_id }), row.bot_streak]),
  );
}

function chatIds(places: readonly ChatPlace[]) {
  return sql.param([...new Set(places.map((place) => place.chatId))]);
}

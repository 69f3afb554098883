/** access_grants: those of every user and chat of a batch, in one query. */
import type { IncomingUpdate, IntakePolicy, UserGrant } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import type { Known } from './judge.ts';

export async function findGrants(
  tx: Transaction,
  policy: IntakePolicy,
  updates: readonly IncomingUpdate[],
): Promise<Known['grants']> {
  const spoken = updates.flatMap(({ content }) =>
    content.kind === 'message' || content.kind === 'edit' ? [content] : [],
  );
  if (spoken.length === 0) return () => ({ user: null, chat: null });
  const userIds = [...new Set(spoken.map((content) => content.sender.id))];
  const chatIds = [...new Set(spoken.map((content) => content.chat.chatId))];
  const rows = await run<{ kind: 'user' | 'chat'; id: string; access: UserGrant }>(
    tx,
    sql`SELECT kind, id, access FROM access_grants WHERE platform = ${policy.account.platform}
          AND ((kind = 'user' AND id = ANY(${sql.param(userIds)}::text[]))
            OR (kind = 'chat' AND id = ANY(${sql.param(chatIds)}::text[])))`,
    'find_grants',
  );
  const users = new Map(rows.filter((row) => row.kind === 'user').map((row) => [row.id, row.access]));
  const chats = new Map(rows.filter((row) => row.kind === 'chat').map((row) => [row.id, row.access]));
  return (userId, chatId) => ({
    user: users.get(userId) ?? null,
    chat: chats.get(chatId) === 'deny' ? 'deny' : chats.has(chatId) ? 'allow' : null,
  });
}

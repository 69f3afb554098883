/** access_grants: those of every user and chat of a batch, in one query. */
import type { AccessGrants, IncomingUpdate, IntakePolicy } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import type { FindGrants } from './judge.ts';

export async function findGrants(
  tx: Transaction,
  policy: IntakePolicy,
  updates: readonly IncomingUpdate[],
): Promise<FindGrants> {
  const spoken = updates.flatMap(({ content }) =>
    content.kind === 'message' || content.kind === 'edit' ? [content] : [],
  );
  if (spoken.length === 0) return () => ({ user: null, chat: null });
  const userIds = [...new Set(spoken.map((content) => content.sender.id))];
  const chatIds = [...new Set(spoken.map((content) => content.chat.chatId))];
  const rows = await run<{ kind: 'user' | 'chat'; id: string; access: 'allow' | 'deny' }>(
    tx,
    sql`SELECT kind, id, access FROM access_grants WHERE platform = ${policy.account.platform}
          AND ((kind = 'user' AND id = ANY(${sql.param(userIds)}::text[]))
            OR (kind = 'chat' AND id = ANY(${sql.param(chatIds)}::text[])))`,
    'find_grants',
  );
  const grants = new Map(rows.map((row) => [`${row.kind}:${row.id}`, row.access]));
  return (userId, chatId) => ({
    user: grants.get(`user:${userId}`) ?? null,
    chat: grants.get(`chat:${chatId}`) ?? null,
  });
}

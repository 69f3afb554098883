/** chat_members: sessions of single people in a group, where each has one. The chat's row is locked by the caller. */
import { sql } from 'drizzle-orm';
import { run, type Transaction } from './database.ts';

export interface Member {
  chatRowId: number;
  userId: string;
}

/** Session ids by memberKey. */
export async function sessionsOfMembers(
  tx: Transaction,
  members: readonly Member[],
): Promise<Map<string, string>> {
  if (members.length === 0) return new Map();
  const rows = await run<{ chat_row_id: number; user_id: string; session_id: string }>(
    tx,
    sql`SELECT m.chat_row_id, m.user_id, m.session_id
        FROM jsonb_to_recordset(${JSON.stringify(members)}::jsonb) AS w("chatRowId" bigint, "userId" text)
        JOIN chat_members m ON m.chat_row_id = w."chatRowId" AND m.user_id = w."userId"`,
    'member_sessions',
  );
  return new Map(
    rows.map((row) => [memberKey({ chatRowId: row.chat_row_id, userId: row.user_id }), row.session_id]),
  );
}

export function memberKey({ chatRowId, userId }: Member): string {
  return `${chatRowId}/${userId}`;
}

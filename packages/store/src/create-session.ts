/** sessions: a new one. */
import type { AccountRef, ChatPlace } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { runOne, type Transaction } from './database.ts';
import { searchVersion } from './search/tokens.ts';

export interface NewSession {
  engine: string;
  model: string | null;
  account: AccountRef;
  chatKind: ChatPlace['kind'];
  chatRowId: number;
  parentSessionId?: string;
  title?: string;
  /** Rows that move along keep their seq; 1 by default. */
  nextMailboxSeq?: number;
}

/** `YYYYMMDD_HHMMSS_<8 hex>`, UTC of the database. */
export const newSessionId = sql.raw(
  `to_char(now() AT TIME ZONE 'utc', 'YYYYMMDD_HH24MISS_') || left(md5(gen_random_uuid()::text), 8)`,
);

/** Insert a session and give its id. Pointing a chat at it is the caller's. */
export async function createSession(tx: Transaction, session: NewSession): Promise<string> {
  const row = await runOne<{ id: string }>(tx, insertSession(session), 'create_session');
  return (row as { id: string }).id;
}

/** The statement, which returns the id. */
export function insertSession(session: NewSession): SQL {
  return sql`INSERT INTO sessions (id, engine, model, platform, account, chat_kind, chat_row_id, parent_session_id, title,
                              next_mailbox_seq, search_version)
        VALUES (${newSessionId},
                ${session.engine}, ${session.model}, ${session.account.platform}, ${session.account.id}, ${session.chatKind},
                ${session.chatRowId}::bigint, ${session.parentSessionId ?? null}, ${session.title ?? null},
                ${session.nextMailboxSeq ?? 1}::bigint, ${searchVersion}::smallint)
        RETURNING id`;
}

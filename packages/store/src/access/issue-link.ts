/** pairings: a code by which another account of the same person can be joined to this one. */
import type { Account, ChatTarget } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';
import { newCode } from './one-time-code.ts';

const validMinutes = 60;

export async function issueLink(db: Database, who: Account, chat: ChatTarget): Promise<string> {
  const { code, stored } = newCode();
  await run(
    db,
    sql`WITH older AS (DELETE FROM pairings WHERE platform = ${who.platform} AND user_id = ${who.userId}
          AND purpose = 'link' AND used_at IS NULL)
        INSERT INTO pairings (code_hash, purpose, platform, user_id, chat_row_id, expires_at)
        VALUES (${stored}, 'link', ${who.platform}, ${who.userId}, ${chat.chatRowId}::bigint,
                now() + ${validMinutes} * interval '1 minute')`,
    'issue_link',
  );
  return code;
}

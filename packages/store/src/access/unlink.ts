/** identities, chats: an account becomes a person of its own again. */
import type { Account, Lease, LinkStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, transaction, type Transaction } from '../database.ts';
import { closeRequest } from '../turns/finish-command.ts';
import { checkLease } from '../with-lease.ts';
import { writeReplies } from '../write-replies.ts';
import { linkedAccounts } from './linked-accounts.ts';

/** See the port. What the account spent before stays with the person it was. */
export function unlink(
  db: Database,
  lease: Lease,
  { row, who, replies }: Parameters<LinkStore['unlink']>[1],
): Promise<boolean> {
  return transaction(db, async (tx) => {
    const others = await linkedAccounts(tx, who);
    if (others.length === 0) return false;
    await run(
      tx,
      sql`WITH person AS (INSERT INTO people DEFAULT VALUES RETURNING id)
          UPDATE identities SET person_id = person.id FROM person
          WHERE platform = ${who.platform} AND user_id = ${who.userId}`,
      'part_identity',
    );
    // The chats first, then the session: the order in which intake locks them.
    await partChats(tx, who, others);
    await checkLease(tx, lease);
    await closeRequest(tx, lease.sessionId, { seq: row.seq, answer: null });
    await writeReplies(tx, lease.sessionId, replies);
    return true;
  });
}

/** A direct chat on one side that is in a conversation begun on the other gets a new one with its next message. */
async function partChats(tx: Transaction, who: Account, others: readonly Account[]): Promise<void> {
  const sides = [{ ...who, side: 1 }, ...others.map((other) => ({ ...other, side: 2 }))];
  await run(
    tx,
    sql`WITH sides AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(sides)}::jsonb) AS s(platform text, "userId" text, side int)),
          shared AS (
            SELECT c.id FROM chats c JOIN sides mine ON mine.platform = c.platform AND mine."userId" = c.user_id
            JOIN sessions s ON s.id = c.session_id
            JOIN chats begun ON begun.id = s.chat_row_id
            JOIN sides theirs ON theirs.platform = begun.platform AND theirs."userId" = begun.user_id
            WHERE c.kind = 'direct' AND theirs.side <> mine.side
            ORDER BY c.platform, c.account, c.chat_id, c.thread_id FOR NO KEY UPDATE OF c)
        UPDATE chats SET session_id = NULL FROM shared WHERE chats.id = shared.id`,
    'part_chats',
  );
}

/** Intake: judge → lock chats and sessions → inbox → mailbox, edits, signals. */
import type { IntakeStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';
import { gatherUpdates } from './gather-updates.ts';
import { storeUpdates } from './store-updates.ts';

export function createIntakeStore(db: Database): IntakeStore {
  return {
    storeUpdates: gatherUpdates((policy, updates) => storeUpdates(db, policy, updates)),
    async backfillPoints(account) {
      return run<{ chatId: string; threadId: string; lastMessageId: string }>(
        db,
        sql`SELECT chat_id AS "chatId", thread_id AS "threadId", last_message_id AS "lastMessageId" FROM chats
            WHERE platform = ${account.platform} AND account = ${account.id} AND alias_of IS NULL
              AND last_message_id IS NOT NULL AND last_seen_at > now() - interval '30 days' ORDER BY id`,
        'backfill_points',
      );
    },
  };
}

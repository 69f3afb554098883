/** Who may talk to the bot, who was turned away. */
import type { AccessEntry, DeniedEntry, Platform } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

/** Someone knocking all day must not make the first screen slow: only the newest refusals are counted. */
const refusalsRead = 5_000;

interface AccessRecord {
  platform: Platform;
  kind: AccessEntry['kind'];
  id: string;
  access: AccessEntry['access'];
  name: string | null;
  changed_at: Date;
}

interface DeniedRecord {
  platform: Platform;
  sender_id: string;
  chat_id: string;
  reason: string;
  times: number;
  last_at: Date;
}

/** Grants of operators, newest change first, with the name last seen. */
export async function accessEntries(db: Database, platform?: Platform): Promise<readonly AccessEntry[]> {
  const records = await run<AccessRecord>(
    db,
    sql`SELECT g.platform, g.kind, g.id, g.access, g.changed_at,
        CASE g.kind
          WHEN 'user' THEN (SELECT i.name FROM identities i WHERE i.platform = g.platform AND i.user_id = g.id)
          ELSE (SELECT c.title FROM chats c WHERE c.platform = g.platform AND c.chat_id = g.id AND c.title IS NOT NULL
            ORDER BY c.last_seen_at DESC NULLS LAST LIMIT 1)
        END AS name
      FROM access_grants g ${platform === undefined ? sql`` : sql`WHERE g.platform = ${platform}`}
      ORDER BY g.changed_at DESC, g.platform, g.kind, g.id`,
  );
  return records.map(({ changed_at: changedAt, ...record }) => ({ ...record, changedAt }));
}

/** Store a grant; the newest word about a user or chat counts. */
export async function setAccess(
  db: Database,
  entry: Pick<AccessEntry, 'platform' | 'kind' | 'id'> & { access: 'allow' | 'deny' },
): Promise<void> {
  await run(
    db,
    sql`INSERT INTO access_grants (platform, kind, id, access) VALUES (${entry.platform}, ${entry.kind}, ${entry.id}, ${entry.access})
      ON CONFLICT (platform, kind, id) DO UPDATE SET access = excluded.access, changed_at = now()`,
  );
  // A code that was shown before must not let in whoever is denied now.
  if (entry.kind === 'user' && entry.access === 'deny')
    await run(
      db,
      sql`DELETE FROM pairings WHERE platform = ${entry.platform} AND user_id = ${entry.id} AND used_at IS NULL`,
    );
}

/** What was granted or taken away for one sender and one chat; null = nothing said. */
export async function grantsOf(db: Database, platform: Platform, who: { userId: string; chatId: string }) {
  const records = await run<Pick<AccessRecord, 'kind' | 'access'>>(
    db,
    sql`SELECT g.kind, g.access FROM access_grants g
      WHERE g.platform = ${platform} AND ((g.kind = 'user' AND g.id = ${who.userId}) OR (g.kind = 'chat' AND g.id = ${who.chatId}))`,
    'access_grants_of',
  );
  const about = (kind: AccessEntry['kind']) => records.find((record) => record.kind === kind)?.access ?? null;
  const chat = about('chat');
  return { user: about('user'), chat: chat === 'paired' ? null : chat };
}

/** Who was refused lately, newest first: one entry a sender, chat and reason, counted over the last 5,000 refusals. */
export async function deniedEntries(db: Database, limit: number): Promise<readonly DeniedEntry[]> {
  const records = await run<DeniedRecord>(
    db,
    sql`SELECT platform, coalesce(sender_id, '') AS sender_id, coalesce(chat_id, '') AS chat_id, coalesce(reason, '') AS reason,
        count(*)::int AS times, max(received_at) AS last_at
      FROM (SELECT platform, sender_id, chat_id, reason, received_at FROM inbox WHERE status = 'denied'
        ORDER BY received_at DESC LIMIT ${refusalsRead}::int) newest
      GROUP BY 1, 2, 3, 4 ORDER BY last_at DESC LIMIT ${limit}::int`,
  );
  return records.map((record) => ({
    platform: record.platform,
    senderId: record.sender_id,
    chatId: record.chat_id,
    reason: record.reason,
    times: record.times,
    lastAt: record.last_at,
  }));
}

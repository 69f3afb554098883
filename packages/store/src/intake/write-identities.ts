/** identities, people: who was let in. */
import type { Platform, Sender } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';

export interface KnownIdentity {
  user_id: string;
  name: string;
  language: string | null;
}

/** Those of the users that were seen within the hour. */
export function findIdentities(
  tx: Transaction,
  platform: Platform,
  userIds: readonly string[],
): Promise<KnownIdentity[]> {
  if (userIds.length === 0) return Promise.resolve([]);
  return run<KnownIdentity>(
    tx,
    sql`SELECT user_id, name, language FROM identities WHERE platform = ${platform}
          AND user_id = ANY(${sql.param([...new Set(userIds)])}::text[])
          AND last_seen_at > now() - interval '1 hour'`,
    'known_identities',
  );
}

/** Insert senders that are new, each as a person of their own, and note changed names; most batches write nothing. */
export async function writeIdentities(
  tx: Transaction,
  platform: Platform,
  { senders, known }: { senders: readonly Sender[]; known: readonly KnownIdentity[] },
): Promise<void> {
  // The last message of a batch knows the newest name. Sorted, so that two batches lock in one order.
  const bySender = new Map(senders.map((sender) => [sender.id, sender]));
  const wanted = [...bySender.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const fresh = new Map(known.map((row) => [row.user_id, row]));
  for (const sender of wanted) {
    const row = fresh.get(sender.id);
    const isSame =
      row !== undefined && row.name === sender.name && row.language === (sender.language ?? row.language);
    if (!isSame) await writeIdentity(tx, platform, sender);
  }
}

async function writeIdentity(tx: Transaction, platform: Platform, sender: Sender): Promise<void> {
  const { id, name, language = null } = sender;
  const updated = await run(
    tx,
    sql`UPDATE identities SET name = ${name}, language = coalesce(${language}::text, language), last_seen_at = now()
        WHERE platform = ${platform} AND user_id = ${id} RETURNING user_id`,
    'update_identity',
  );
  if (updated.length > 0) return;
  await run(
    tx,
    sql`WITH person AS (INSERT INTO people DEFAULT VALUES RETURNING id)
        INSERT INTO identities (platform, user_id, person_id, name, language)
        SELECT ${platform}::text, ${id}::text, person.id, ${name}::text, ${language}::text FROM person
        ON CONFLICT (platform, user_id) DO NOTHING`,
    'insert_identity',
  );
}

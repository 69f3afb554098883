/** identities, people: who was let in. */
import type { Platform, Sender } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';

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
  const changed = wanted.filter((sender) => {
    const row = fresh.get(sender.id);
    return (
      row === undefined || row.name !== sender.name || row.language !== (sender.language ?? row.language)
    );
  });
  await together(() => changed.map((sender) => writeIdentity(tx, platform, sender)));
}

async function writeIdentity(tx: Transaction, platform: Platform, sender: Sender): Promise<void> {
  const { id, name, language = null } = sender;
  await run(
    tx,
    sql`WITH known AS (
          UPDATE identities SET name = ${name}::text, language = coalesce(${language}::text, language), last_seen_at = now()
          WHERE platform = ${platform} AND user_id = ${id} RETURNING 1),
        person AS (INSERT INTO people SELECT WHERE NOT EXISTS (SELECT FROM known) RETURNING id)
        INSERT INTO identities (platform, user_id, person_id, name, language)
        SELECT ${platform}::text, ${id}::text, person.id, ${name}::text, ${language}::text FROM person
        ON CONFLICT (platform, user_id) DO NOTHING`,
    'write_identity',
  );
}

/** identities: the other accounts of a person. */
import type { Account } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Executor, run } from '../database.ts';

export async function linkedAccounts(db: Executor, who: Account): Promise<readonly Account[]> {
  const rows = await run<{ platform: Account['platform']; user_id: string }>(
    db,
    sql`SELECT other.platform, other.user_id FROM identities own JOIN identities other ON other.person_id = own.person_id
        WHERE own.platform = ${who.platform} AND own.user_id = ${who.userId}
          AND (other.platform, other.user_id) <> (own.platform, own.user_id)
        ORDER BY other.platform, other.user_id`,
    'linked_accounts',
  );
  return rows.map((row) => ({ platform: row.platform, userId: row.user_id }));
}

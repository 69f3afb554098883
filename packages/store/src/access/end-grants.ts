/** access_grants: what was granted by command or by a code ends. */
import type { AccessStore, Platform } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

/** False: there was nothing to take back. */
export async function forgetGrant(
  db: Database,
  { platform, kind, id }: Parameters<AccessStore['forget']>[0],
): Promise<boolean> {
  const gone = await run(
    db,
    sql`DELETE FROM access_grants WHERE platform = ${platform} AND kind = ${kind} AND id = ${id} RETURNING id`,
    'forget_grant',
  );
  return gone.length > 0;
}

/** See the port; how many ended. */
export async function endPairings(
  db: Database,
  platform: Platform,
  listed: readonly string[],
): Promise<number> {
  if (listed.length === 0) return 0;
  const gone = await run(
    db,
    sql`DELETE FROM access_grants WHERE platform = ${platform} AND kind = 'user' AND access = 'paired'
          AND id = ANY(${sql.param([...listed])}::text[]) RETURNING id`,
    'end_pairings',
  );
  return gone.length;
}

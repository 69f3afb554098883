/** turns: where what becomes of a turn after its end finds its place in the tree. */
import type { Lease } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

/** Nothing where another attempt has begun it since: that one has a place of its own. */
export async function keepTrace(
  db: Database,
  lease: Lease,
  turn: { id: string; traceparent: string },
): Promise<void> {
  await run(
    db,
    sql`UPDATE turns SET traceparent = ${turn.traceparent}
        WHERE session_id = ${lease.sessionId} AND id = ${turn.id} AND epoch = ${lease.epoch}::bigint`,
    'keep_trace',
  );
}

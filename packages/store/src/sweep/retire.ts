/** Retention: inbox, events, ledger, plans and files only; transcript rows leave by erasure alone. */
import { sql, type SQL } from 'drizzle-orm';
import { type Database, run } from '../database.ts';
import { emptyMedia } from './empty-media.ts';

/** The platforms repeat updates for 24 h; the unique key must live longer than that whatever the config says. */
const inboxDaysAtLeast = 7;
/** So that one sweep never holds locks for long; the next one goes on. */
const rowsAtOnce = 5_000;

/** Delete what is older than its days; how many rows went or were emptied. */
export async function retire(
  db: Database,
  days: { inbox: number; events: number; ledger: number; media?: number | null },
): Promise<number> {
  const inboxDays = Math.max(inboxDaysAtLeast, days.inbox);
  const counts = [
    await remove(db, sql`inbox`, sql`received_at < now() - ${inboxDays}::int * interval '1 day'`),
    await remove(db, sql`events`, sql`created_at < now() - ${days.events}::int * interval '1 day'`),
    // A row that wrote rows says what lies under a summary, one that only archived some why they are under none: both are
    // needed as long as the transcript is, and are fewer than its rows. Under lcm the edges say it.
    await remove(
      db,
      sql`compactions`,
      sql`finished_at < now() - ${days.ledger}::int * interval '1 day' AND coalesce(cardinality(written_rows), 0) = 0
        AND (engine = 'lcm' OR coalesce((figures ->> 'rowsArchived')::int, 0) = 0)`,
    ),
    await remove(db, sql`prepared_compactions`, sql`expires_at < now()`),
    await remove(db, sql`turn_progress`, sql`updated_at < now() - interval '1 day'`),
    await remove(db, sql`dcp_event`, sql`created_at < now() - ${days.events}::int * interval '1 day'`),
    await remove(db, sql`hook_deliveries`, sql`done_at < now() - ${days.events}::int * interval '1 day'`),
    days.media ? await emptyMedia(db, days.media) : 0,
  ];
  return counts.reduce((sum, count) => sum + count, 0);
}

async function remove(db: Database, table: SQL, condition: SQL): Promise<number> {
  const gone = await run(
    db,
    sql`DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${rowsAtOnce}::int))
        RETURNING 1 AS one`,
  );
  return gone.length;
}

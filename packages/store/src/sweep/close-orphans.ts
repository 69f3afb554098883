/** What was announced always ends: compactions, and previews of answers. */
import type { ClosedOrphan } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

/** A background attempt holds no lease while its model works; after this time it is dead whatever it did. */
const backgroundMinutes = 15;

/** Close ledger rows whose holder is gone as failed, reason lease_lost. */
export async function closeOrphans(db: Database): Promise<readonly ClosedOrphan[]> {
  const closed = await run<ClosedOrphan>(
    db,
    sql`UPDATE compactions k
        SET outcome = 'failed', reason = 'lease_lost', finished_at = now(),
            duration_ms = least(extract(epoch FROM now() - k.started_at) * 1000, 2147483647)::int
        FROM sessions s
        WHERE k.outcome IS NULL AND s.id = k.session_id
          AND CASE WHEN k.layer = 'background' THEN k.started_at < now() - ${backgroundMinutes}::int * interval '1 minute'
                   ELSE s.epoch <> k.epoch_before OR s.lease_until IS NULL OR s.lease_until <= clock_timestamp() END
        RETURNING k.layer, k.trigger`,
    'close_orphans',
  );
  await takeBackPreviews(db);
  return closed;
}

/** A preview opened in the moment its turn ended in another way than by an answer; its sender takes it away. */
async function takeBackPreviews(db: Database): Promise<void> {
  await run(
    db,
    sql`UPDATE outbox o SET state = 'pending' WHERE o.state = 'open' AND o.created_at < now() - interval '1 minute'
        AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = o.session_id AND t.id = o.turn_id AND t.state = 'running')`,
    'take_back_previews',
  );
}

/** How many summaries that are no rows a compaction left behind. */
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

/** Nodes it put into the context, and blocks. */
export async function writtenCounts(
  db: Database,
  sessionId: string,
  compactionIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const ids = sql`ANY(${sql.param([...compactionIds])}::bigint[])`;
  const rows = await run<{ id: number; texts: number }>(
    db,
    sql`SELECT w.id, count(*)::int AS texts FROM (
          SELECT i.created_by AS id FROM lcm_context_items i WHERE i.session_id = ${sessionId} AND i.created_by = ${ids}
          UNION ALL
          SELECT b.compaction_id FROM dcp_block b WHERE b.session_id = ${sessionId} AND b.compaction_id = ${ids}) w
        GROUP BY w.id`,
    'written_counts',
  );
  return new Map(rows.map(({ id, texts }) => [id, texts]));
}

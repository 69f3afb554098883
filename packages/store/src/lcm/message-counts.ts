/** How many messages lie under nodes, for whoever lists many of them: one statement. */
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

/** Each message once, also where several sources cover it. Ids that are none are left out. */
export async function messageCounts(
  db: Database,
  sessionId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await run<{ top: string; messages: number }>(
    db,
    sql`WITH RECURSIVE down AS (
          SELECT s.id AS top, s.id FROM lcm_summaries s
          WHERE s.session_id = ${sessionId} AND s.id = ANY(${sql.param([...ids])}::text[])
          UNION
          SELECT d.top, e.source_summary_id FROM down d
          JOIN lcm_summary_sources e ON e.session_id = ${sessionId} AND e.summary_id = d.id
        )
        SELECT d.top, count(DISTINCT e.message_id)::int AS messages FROM down d
        LEFT JOIN lcm_summary_messages e ON e.session_id = ${sessionId} AND e.summary_id = d.id
        GROUP BY d.top`,
    'lcm_message_counts',
  );
  return new Map(rows.map((row) => [row.top, row.messages]));
}

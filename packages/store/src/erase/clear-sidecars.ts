/** messages: items of providers that came after an erased message. */
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';

/**
 * A provider's item may hold what was said before it, sealed (its own condensed view, its reasoning) or on its side (a
 * thread that goes on): nobody can look, so all behind the first erased row of a session go. Answers stand without them;
 * only a turn that is under way keeps its own, since a provider takes its calls back with them alone.
 */
export async function clearSidecars(
  tx: Transaction,
  sessionIds: readonly string[],
  rowIds: readonly number[],
): Promise<void> {
  const sessions = sql.param([...sessionIds]);
  await run(
    tx,
    sql`WITH first AS (
          SELECT m.session_id, min(m.seq) AS seq FROM messages m
          WHERE m.session_id = ANY(${sessions}::text[]) AND m.id = ANY(${sql.param([...rowIds])}::bigint[])
          GROUP BY m.session_id)
        UPDATE messages m SET parts = (
          SELECT coalesce(jsonb_agg(p.part ORDER BY p.ord), ${JSON.stringify([{ type: 'text', text: '[erased]' }])}::jsonb)
          FROM jsonb_array_elements(m.parts) WITH ORDINALITY AS p(part, ord) WHERE p.part ->> 'type' <> 'sidecar')
        FROM first f
        WHERE m.session_id = f.session_id AND m.seq > f.seq AND m.parts @> '[{"type": "sidecar"}]'
          AND NOT EXISTS (SELECT 1 FROM turns t
            WHERE t.session_id = m.session_id AND t.id = m.turn_id AND t.state = 'running')`,
    'erase_sidecars',
  );
}

/** lcm_context_items: which summaries stand in the context. Nothing is deleted or renumbered. */
import { GatewayError, type LcmChange, PlanOutdated } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { run, runOne, type Transaction } from '../database.ts';

export interface ItemContext {
  sessionId: string;
  compactionId: number;
}

/**
 * Take items out and put summaries in, in one statement. throws PlanOutdated when one to take out is no longer in the
 * context, input_invalid for a summary that does not exist
 */
export async function replaceItems(
  tx: Transaction,
  context: ItemContext,
  { removeItems = [], addItems = [] }: Pick<LcmChange, 'removeItems' | 'addItems'>,
): Promise<void> {
  if (removeItems.length + addItems.length === 0) return;
  const { sessionId, compactionId } = context;
  // They go before the others come: a place is taken once. What is added counts what is gone, so it waits for it.
  const done = await runOne<{ removed: number; added: number }>(
    tx,
    sql`WITH gone AS (
          UPDATE lcm_context_items SET active = 0, archived_by = ${compactionId}::bigint
          WHERE session_id = ${sessionId} AND active = 1 AND summary_id = ANY(${sql.param([...removeItems])}::text[])
          RETURNING id),
        removed AS MATERIALIZED (SELECT count(*)::int AS count FROM gone),
        added AS (
          INSERT INTO lcm_context_items (session_id, ordinal, summary_id, tokens, created_by)
          SELECT s.session_id, a.ordinal, s.id, s.tokens, ${compactionId}::bigint
          FROM removed CROSS JOIN unnest(${sql.param(addItems.map((item) => item.summaryId))}::text[],
                                         ${sql.param(addItems.map((item) => item.ordinal))}::bigint[]) AS a(summary_id, ordinal)
          JOIN lcm_summaries s ON s.session_id = ${sessionId} AND s.id = a.summary_id
          RETURNING id)
        SELECT removed.count AS removed, (SELECT count(*)::int FROM added) AS added FROM removed`,
    'lcm_replace_items',
  );
  const outdated = new Set(removeItems).size - (done?.removed ?? 0);
  if (outdated > 0) throw new PlanOutdated(sessionId, outdated);
  const missing = addItems.length - (done?.added ?? 0);
  if (missing > 0)
    throw new GatewayError(
      'input_invalid',
      `${missing} summaries for the context of session ${sessionId} do not exist; store them with the change`,
    );
}

/** Every node under the items that `items` selects; each once, however many nodes share it. */
function nodesUnder(sessionId: string, items: SQL): SQL {
  return sql`nodes AS (
      SELECT i.summary_id FROM lcm_context_items i WHERE i.session_id = ${sessionId} AND ${items}
      UNION
      SELECT s.source_summary_id FROM nodes n
      JOIN lcm_summary_sources s ON s.session_id = ${sessionId} AND s.summary_id = n.summary_id)`;
}

/**
 * The engine is left: whoever looks under the row that stands for the items from now on finds the messages by
 * `archived_by`. What stood there is kept for an undo.
 */
export async function leaveItems(tx: Transaction, context: ItemContext, isLeft: boolean): Promise<void> {
  if (!isLeft) return;
  const { sessionId, compactionId } = context;
  const nodes = nodesUnder(sessionId, sql`i.active = 0 AND i.archived_by = ${compactionId}::bigint`);
  await run(
    tx,
    sql`WITH RECURSIVE ${nodes}
        UPDATE lcm_summary_messages e SET was_archived_by = m.archived_by
        FROM nodes n, messages m
        WHERE e.session_id = ${sessionId} AND e.summary_id = n.summary_id
          AND m.session_id = ${sessionId} AND m.id = e.message_id`,
    'lcm_keep_archived_by',
  );
  await run(
    tx,
    sql`WITH RECURSIVE ${nodes}
        UPDATE messages m SET archived_by = ${compactionId}::bigint
        FROM nodes n, lcm_summary_messages e
        WHERE e.session_id = ${sessionId} AND e.summary_id = n.summary_id
          AND m.session_id = ${sessionId} AND m.id = e.message_id AND m.active = 0 AND m.compacted = 1`,
    'lcm_leave_rows',
  );
}

/** The neighbours of a row. */
import type { MessageRow } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Executor, run, runOne } from '../database.ts';
import { sessionsInScope } from '../search/search-scope.ts';
import { type MessageRecord, messageColumns, toMessage } from './message-record.ts';

export interface AroundRow {
  sessionId: string;
  rowId: number;
  /** Rows on each side, >= 0. */
  neighbours: number;
}

/**
 * The session of a row, if the asking session may see it; null for rows out of scope and rows that were taken back.
 */
export async function sessionOfRow(
  executor: Executor,
  asking: { sessionId: string; rowId: number },
): Promise<string | null> {
  const scope = await sessionsInScope(executor, asking.sessionId);
  const row = await runOne<{ session_id: string }>(
    executor,
    sql`SELECT session_id FROM messages WHERE session_id = ANY(${sql.param([...scope])}::text[]) AND id = ${asking.rowId}::bigint
          AND (active = 1 OR compacted = 1)`,
    'session_of_row',
  );
  return row?.session_id ?? null;
}

/**
 * The row with up to `neighbours` rows on each side, seq order; empty when the session has no such row. Rows that were
 * taken back are left out, and so are rows that only stand for another (summaries are shown, copies are not).
 */
export async function around(executor: Executor, wanted: AroundRow): Promise<readonly MessageRow[]> {
  const { sessionId, rowId, neighbours } = wanted;
  const rows = await run<MessageRecord>(
    executor,
    sql`WITH middle AS (SELECT seq FROM messages WHERE session_id = ${sessionId} AND id = ${rowId}::bigint)
        SELECT ${messageColumns} FROM messages m
        WHERE m.session_id = ${sessionId} AND m.id IN (
          (SELECT b.id FROM messages b, middle WHERE b.session_id = ${sessionId} AND b.seq < middle.seq
             AND (b.active = 1 OR b.compacted = 1) AND b.replaces IS NULL ORDER BY b.seq DESC LIMIT ${neighbours}::int)
          UNION ALL
          (SELECT ${rowId}::bigint FROM middle)
          UNION ALL
          (SELECT a.id FROM messages a, middle WHERE a.session_id = ${sessionId} AND a.seq > middle.seq
             AND (a.active = 1 OR a.compacted = 1) AND a.replaces IS NULL ORDER BY a.seq LIMIT ${neighbours}::int))
        ORDER BY m.seq`,
    'rows_around',
  );
  return rows.map(toMessage);
}

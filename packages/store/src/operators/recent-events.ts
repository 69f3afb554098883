/** events and operator_actions, by id. */
import type { BoardStore, OperatorAction, StoredEvent } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

export function recentEvents(
  db: Database,
  wish: Parameters<BoardStore['events']>[0],
): Promise<readonly StoredEvent[]> {
  const { beforeId, afterId, type, sessionId } = wish;
  const conditions = [sql`true`];
  if (beforeId !== undefined) conditions.push(sql`e.id < ${beforeId}::bigint`);
  if (afterId !== undefined) conditions.push(sql`e.id > ${afterId}::bigint`);
  if (type !== undefined)
    conditions.push(type === 'command:*' ? sql`e.type LIKE 'command:%'` : sql`e.type = ${type}`);
  if (sessionId !== undefined) conditions.push(sql`e.session_id = ${sessionId}`);
  return run<StoredEvent>(
    db,
    sql`SELECT e.id, e.session_id AS "sessionId", e.created_at AS at, e.payload AS event FROM events e
      WHERE ${sql.join(conditions, sql` AND `)}
      ORDER BY e.id ${afterId === undefined ? sql`DESC` : sql`ASC`} LIMIT ${wish.limit}::int`,
  );
}

export function recentActions(
  db: Database,
  wish: Parameters<BoardStore['actions']>[0],
): Promise<readonly OperatorAction[]> {
  const conditions = [sql`true`];
  if (wish.beforeId !== undefined) conditions.push(sql`a.id < ${wish.beforeId}::bigint`);
  if (wish.sessionId !== undefined) conditions.push(sql`a.session_id = ${wish.sessionId}`);
  return run<OperatorAction>(
    db,
    sql`SELECT a.id, a.at, a.actor, a.via, a.act, a.session_id AS "sessionId", a.target FROM operator_actions a
      WHERE ${sql.join(conditions, sql` AND `)} ORDER BY a.id DESC LIMIT ${wish.limit}::int`,
  );
}

import type { DcpEventView, DcpStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, onOneConnection, run } from '../database.ts';
import { loadState } from './load-state.ts';
import { readBlockViews, readSavings } from './read-blocks.ts';

/** Reads of the model-guided engine's state; `writeDcp` writes it with rounds and plans. */
export function createDcpStore(db: Database): DcpStore {
  return {
    load: (sessionId) => onOneConnection(db, (connection) => loadState(connection, sessionId)),
    blocks: (sessionId) => onOneConnection(db, (connection) => readBlockViews(connection, sessionId)),
    savings: (sessionId) => onOneConnection(db, (connection) => readSavings(connection, sessionId)),
    events: (sessionId, options) => readEvents(db, sessionId, options),
  };
}

function readEvents(
  db: Database,
  sessionId: string,
  { limit, beforeId, kinds }: Parameters<DcpStore['events']>[1],
): Promise<DcpEventView[]> {
  return run<DcpEventView>(
    db,
    sql`SELECT id, kind, detail, created_at AS "createdAt" FROM dcp_event
        WHERE session_id = ${sessionId} AND id < coalesce(${beforeId ?? null}::bigint, 9223372036854775807)
          AND (${kinds === undefined}::boolean OR kind = ANY(${sql.param([...(kinds ?? [])])}::text[]))
        ORDER BY id DESC LIMIT ${limit}::int`,
    'dcp_events',
  );
}

/** Reads of the transcript: live rows for the prompt, all rows for pages and search. */
import type { MessageRow, Part, RowHeader, TranscriptStore } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { type Database, run } from '../database.ts';
import { searchTranscript } from '../search/search-transcript.ts';
import { around, sessionOfRow } from './around.ts';
import type { LiveViews } from './live-view.ts';
import {
  headerColumns,
  type HeaderRecord,
  messageColumns,
  type MessageRecord,
  toHeader,
  toMessage,
} from './message-record.ts';
import { readContents } from './read-contents.ts';
import { payloadHead, readPayload } from './read-payload.ts';

type RowState = 'live' | 'archived' | 'withdrawn';

const stateConditions: Record<RowState, SQL> = {
  live: sql`m.active = 1`,
  archived: sql`(m.active = 0 AND m.compacted = 1)`,
  withdrawn: sql`(m.active = 0 AND m.compacted = 0)`,
};

export function createTranscriptStore(db: Database, views: LiveViews): TranscriptStore {
  return {
    liveHeaders: (sessionId) => liveHeaders(db, sessionId),
    async liveView(sessionId, newest) {
      const view = await views.read(db, { sessionId, newest });
      views.keep(sessionId, view);
      return view;
    },
    liveRows: (sessionId) => liveRows(db, sessionId),
    bodies: (sessionId, ids) => bodies(db, sessionId, ids),
    parts: (sessionId, ids) => partsOf(db, sessionId, ids),
    page: (sessionId, options) => page(db, sessionId, options),
    search: (scope, query, options) => searchTranscript(db, scope, query, options),
    async around(asking, rowId, neighbours) {
      const sessionId = await sessionOfRow(db, { sessionId: asking, rowId });
      return sessionId === null ? [] : around(db, { sessionId, rowId, neighbours });
    },
    contents: (sessionId, payloadIds) => readContents(db, sessionId, payloadIds),
    payloadHead: (sessionId, payloadId) => payloadHead(db, sessionId, payloadId),
    payload: (sessionId, payloadId, slice) => readPayload(db, { sessionId, payloadId, ...slice }),
  };
}

// `active = 1` is spelled out: as a parameter the partial index could not be proven.
async function liveHeaders(db: Database, sessionId: string): Promise<readonly RowHeader[]> {
  const rows = await run<HeaderRecord>(
    db,
    sql`SELECT ${headerColumns} FROM messages m WHERE m.session_id = ${sessionId} AND m.active = 1 ORDER BY m.seq`,
    'live_headers',
  );
  return rows.map(toHeader);
}

async function liveRows(db: Database, sessionId: string): Promise<readonly MessageRow[]> {
  const rows = await run<MessageRecord>(
    db,
    sql`SELECT ${messageColumns} FROM messages m WHERE m.session_id = ${sessionId} AND m.active = 1 ORDER BY m.seq`,
    'live_rows',
  );
  return rows.map(toMessage);
}

async function bodies(
  db: Database,
  sessionId: string,
  ids: readonly number[],
): Promise<readonly MessageRow[]> {
  if (ids.length === 0) return [];
  const rows = await run<MessageRecord>(
    db,
    sql`SELECT ${messageColumns} FROM messages m
        WHERE m.session_id = ${sessionId} AND m.id = ANY(${sql.param([...ids])}::bigint[]) ORDER BY m.seq`,
    'bodies',
  );
  return rows.map(toMessage);
}

async function partsOf(
  db: Database,
  sessionId: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly Part[]>> {
  if (ids.length === 0) return new Map();
  const rows = await run<{ id: number; parts: Part[] }>(
    db,
    sql`SELECT m.id, m.parts FROM messages m
        WHERE m.session_id = ${sessionId} AND m.id = ANY(${sql.param([...ids])}::bigint[])`,
    'parts',
  );
  return new Map(rows.map((row) => [row.id, row.parts]));
}

async function page(db: Database, sessionId: string, options: Parameters<TranscriptStore['page']>[1]) {
  const states = options.states ?? (['live', 'archived', 'withdrawn'] as const);
  const wanted = states.map((state) => stateConditions[state]);
  if (wanted.length === 0) return [];
  const { archivedBy } = options;
  const under = archivedBy === undefined ? sql`true` : sql`m.archived_by = ${archivedBy}::bigint`;
  const rows = await run<MessageRecord & { active: number; compacted: number; archived_by: number | null }>(
    db,
    sql`SELECT ${messageColumns}, m.active, m.compacted, m.archived_by FROM messages m
        WHERE m.session_id = ${sessionId} AND m.seq > ${options.afterSeq}::bigint AND (${sql.join(wanted, sql` OR `)}) AND ${under}
        ORDER BY m.seq LIMIT ${options.limit}::int`,
  );
  return rows.map((row) => ({ ...toMessage(row), state: stateOf(row), archivedBy: row.archived_by }));
}

function stateOf(row: { active: number; compacted: number }): RowState {
  if (row.active === 1) return 'live';
  return row.compacted === 1 ? 'archived' : 'withdrawn';
}

/** messages: the rows an erasure is about, and the sessions' rows to be searched for quotes. */
import type { Part, RowKind } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';

export interface StoredRow {
  session_id: string;
  id: number;
  seq: number;
  kind: RowKind;
  replaces: number | null;
  parts: Part[];
}

const columns = sql.raw('m.session_id, m.id, m.seq, m.kind, m.replaces, m.parts');
const rowsAtOnce = 500;

/** Rows and whatever stands for them or they stand for, in any of the sessions: ids are unique over all of them. */
export function readWithCopies(
  tx: Transaction,
  sessionIds: readonly string[],
  rowIds: readonly number[],
): Promise<StoredRow[]> {
  const sessions = sql.param([...sessionIds]);
  return run<StoredRow>(
    tx,
    sql`WITH RECURSIVE line AS (
          SELECT m.id, m.replaces FROM messages m
          WHERE m.session_id = ANY(${sessions}::text[]) AND m.id = ANY(${sql.param([...rowIds])}::bigint[])
          UNION
          SELECT m.id, m.replaces FROM line l
          JOIN messages m ON m.session_id = ANY(${sessions}::text[]) AND (m.replaces = l.id OR m.id = l.replaces))
        SELECT ${columns} FROM line JOIN messages m ON m.session_id = ANY(${sessions}::text[]) AND m.id = line.id`,
    'erase_rows',
  );
}

/** Every row of a session, or those of one kind, seq order, a page at a time. */
export async function* rowsOf(
  tx: Transaction,
  sessionId: string,
  kind: RowKind | null = null,
): AsyncGenerator<StoredRow> {
  for (let after = 0; ;) {
    const rows = await run<StoredRow>(
      tx,
      sql`SELECT ${columns} FROM messages m WHERE m.session_id = ${sessionId} AND m.seq > ${after}::bigint
            AND (${kind}::text IS NULL OR m.kind = ${kind}::text)
          ORDER BY m.seq LIMIT ${rowsAtOnce}::int`,
      'erase_page',
    );
    yield* rows;
    if (rows.length < rowsAtOnce) return;
    after = rows.at(-1)!.seq;
  }
}

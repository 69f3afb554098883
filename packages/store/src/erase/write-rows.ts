/** messages, message_search: changed contents in the place of the old ones. */
import { estimateParts, type Part } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { indexMore, piecesOf } from '../search/index-rows.ts';

export interface ChangedRow {
  sessionId: string;
  id: number;
  parts: readonly Part[];
  /** Its sender and the platform's id go, and it is found by no search. */
  isTombstone: boolean;
}

const rowsAtOnce = 200;

/** The rows keep id, seq and state. */
export async function writeRows(tx: Transaction, rows: readonly ChangedRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const some = rows.slice(start, start + rowsAtOnce);
    await update(tx, some);
    await index(tx, some);
  }
}

async function update(tx: Transaction, rows: readonly ChangedRow[]): Promise<void> {
  const records = rows.map(({ sessionId, id, parts, isTombstone }) => ({
    session_id: sessionId,
    id,
    parts,
    tokens: estimateParts(parts),
    gone: isTombstone,
  }));
  await run(
    tx,
    sql`UPDATE messages m SET parts = r.parts, tokens = r.tokens,
          sender_id = CASE WHEN r.gone THEN NULL ELSE m.sender_id END,
          sender_name = CASE WHEN r.gone THEN NULL ELSE m.sender_name END,
          platform_message_id = CASE WHEN r.gone THEN NULL ELSE m.platform_message_id END
        FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
          AS r(session_id text, id bigint, parts jsonb, tokens int, gone boolean)
        WHERE m.session_id = r.session_id AND m.id = r.id`,
    'erase_write_rows',
  );
}

/** A row that stands for another one was not indexed, and is not now. */
async function index(tx: Transaction, rows: readonly ChangedRow[]): Promise<void> {
  const indexed = await run<{ message_id: number; sent_at: Date }>(
    tx,
    sql`DELETE FROM message_search s USING messages m, jsonb_to_recordset(${JSON.stringify(
      rows.map(({ sessionId, id }) => ({ session_id: sessionId, id })),
    )}::jsonb) AS r(session_id text, id bigint)
        WHERE s.session_id = r.session_id AND s.message_id = r.id AND m.session_id = r.session_id AND m.id = r.id
        RETURNING s.message_id, m.sent_at`,
    'erase_unindex',
  );
  const saidAt = new Map(indexed.map((row) => [row.message_id, row.sent_at]));
  for (const { sessionId, id, parts, isTombstone } of rows) {
    const said = saidAt.get(id);
    if (!isTombstone && said)
      await indexMore(tx, sessionId, { rows: [{ id }], pieces: piecesOf([{ part: 0, parts, said }]) });
  }
}

/** Messages as tools show them. Out of scope is as if they did not exist. */
import type { LcmMessage, LcmScope, Role, RowKind } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { type Database, run, runOne } from '../database.ts';
import { wholeText } from './message-text.ts';
import { scopeOf, sessionOfSummary } from './scope.ts';

interface ShownRecord {
  session_id: string;
  id: number;
  seq: number;
  role: Role;
  kind: RowKind;
  sender_name: string | null;
  sent_at: Date;
  tokens: number;
  text: string;
  total: number;
}

/** Of `messages m`: head, the slice of the text, its whole length. Offsets count characters as Postgres does: code points. */
function shownColumns(slice: { offset: number; maxCharacters: number }): SQL {
  return sql`m.session_id, m.id, m.seq, m.role, m.kind, m.sender_name, m.sent_at, m.tokens,
    substr(body.text, ${slice.offset + 1}::int, ${slice.maxCharacters}::int) AS text, length(body.text) AS total`;
}

/** The leaf's messages in seq order. */
export async function messagesOf(
  db: Database,
  scope: LcmScope,
  wish: { summaryId: string; afterSeq: number; limit: number; maxCharacters: number },
): Promise<readonly LcmMessage[] | null> {
  const sessionId = await sessionOfSummary(db, scope, wish.summaryId);
  if (sessionId === null) return null;
  const slice = { offset: 0, maxCharacters: wish.maxCharacters };
  const rows = await run<ShownRecord>(
    db,
    sql`SELECT ${shownColumns(slice)}
        FROM lcm_summary_messages e
        JOIN messages m ON m.session_id = ${sessionId} AND m.id = e.message_id
        CROSS JOIN LATERAL (SELECT ${wholeText} AS text) body
        WHERE e.session_id = ${sessionId} AND e.summary_id = ${wish.summaryId} AND m.seq > ${wish.afterSeq}::bigint
          AND (m.active = 1 OR m.compacted = 1)
        ORDER BY m.seq LIMIT ${wish.limit}::int`,
    'lcm_messages_of',
  );
  return rows.map((row) => toShown(row, slice.offset));
}

export async function oneMessage(
  db: Database,
  scope: LcmScope,
  wish: { messageId: number; offset: number; maxCharacters: number },
): Promise<LcmMessage | null> {
  const sessions = await scopeOf(db, scope);
  const row = await runOne<ShownRecord>(
    db,
    sql`SELECT ${shownColumns(wish)}
        FROM messages m CROSS JOIN LATERAL (SELECT ${wholeText} AS text) body
        WHERE m.session_id = ANY(${sql.param([...sessions])}::text[]) AND m.id = ${wish.messageId}::bigint
          AND (m.active = 1 OR m.compacted = 1)`,
    'lcm_message',
  );
  return row === null ? null : toShown(row, wish.offset);
}

function toShown(row: ShownRecord, offset: number): LcmMessage {
  const end = offset + [...row.text].length;
  return {
    sessionId: row.session_id,
    id: row.id,
    seq: row.seq,
    role: row.role,
    rowKind: row.kind,
    sender: row.sender_name,
    sentAt: row.sent_at,
    tokens: row.tokens,
    text: row.text,
    totalCharacters: row.total,
    nextOffset: end < row.total ? end : null,
  };
}

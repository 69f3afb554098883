/** messages: append rows at the end of a session, with their payloads and search pieces. */
import { cleanDeep, type MessageRow, type NewRow, type Part } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';
import type { SessionChange } from '../patch-session.ts';
import { indexMore, insertPieces, piecesAtOnce, piecesOf, type SearchPiece } from '../search/index-rows.ts';
import { type MessageRecord, messageColumns, toMessage } from './message-record.ts';
import { writePayloads } from './write-payloads.ts';

/** Room between two rows, so that derived rows find a place between them. */
const seqGap = 1024;
/** Characters of rows whose pieces are surely fewer than `piecesAtOnce`: each has some 8,000. */
const longestAtOnce = 200_000;

export interface AppendOptions {
  sessionId: string;
  turnId: string;
  step: number;
  /** Part of the first row; the others follow. */
  firstPart?: number;
  /** Columns of the session that change with it: one version of its row instead of two. */
  change?: SessionChange;
}

export interface Appended {
  rows: readonly MessageRow[];
  /** Nobody holds the session any more: `change` gave its lease back. */
  isFree: boolean;
}

/**
 * Append rows in order. The session row must be locked by this transaction. Raises `next_seq`, `revision` and
 * `updated_at`. The unique key (session, turn, step, part) refuses a repeat with database_error.
 */
export async function appendRows(
  tx: Transaction,
  options: AppendOptions,
  rows: readonly NewRow[],
): Promise<readonly MessageRow[]> {
  return rows.length === 0 ? [] : (await appendWith(tx, options, rows)).rows;
}

/** `appendRows` of one row at least, with what became of the session. */
export async function appendWith(
  tx: Transaction,
  options: AppendOptions,
  rows: readonly NewRow[],
): Promise<Appended> {
  const { sessionId } = options;
  const cleaned = rows.map((row) => cleanRow(row));
  const payloads = cleaned.flatMap((row) => row.payloads ?? []);
  const records = cleaned.map((row, index) => toRecord(row, options, index));
  const pieces = piecesOf(records.map((record) => ({ ...record, said: record.sent_at ?? new Date() })));
  const [, written] = await together(() => [
    writePayloads(tx, sessionId, payloads),
    insertRecords(tx, options, { records, pieces: pieces.slice(0, piecesAtOnce) }),
  ]);
  await indexMore(tx, sessionId, { rows: written.rows, pieces: pieces.slice(piecesAtOnce) });
  return written;
}

/** Whether `appendRows` sends all it has to send at once. */
export function isOneStatement(rows: readonly NewRow[]): boolean {
  const characters = rows.reduce((sum, row) => sum + JSON.stringify(row.parts).length, 0);
  return rows.length <= piecesAtOnce / 2 && characters < longestAtOnce;
}

/** Clean strings before they are stored; the parts keep their shape. */
export function cleanRow<Row extends NewRow>(row: Row): Row {
  return {
    ...row,
    parts: cleanDeep(row.parts),
    sender: cleanDeep(row.sender),
    payloads: cleanDeep(row.payloads),
  };
}

/** The ids of the calls that an assistant row makes and of the one that a tool row answers. */
export function callIds(parts: readonly Part[]): { toolCallIds: string[]; toolCallId: string | null } {
  const toolCallIds = parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
  const result = parts.find((part) => part.type === 'tool_result');
  return { toolCallIds, toolCallId: result?.callId ?? null };
}

function toRecord(row: NewRow, options: AppendOptions, index: number) {
  const { toolCallIds, toolCallId } = callIds(row.parts);
  return {
    index,
    role: row.role,
    kind: row.kind,
    sender_id: row.sender?.id ?? null,
    sender_name: row.sender?.name ?? null,
    sent_at: row.sentAt ?? null,
    turn_id: options.turnId,
    step: options.step,
    part: (options.firstPart ?? 0) + index,
    parts: row.parts,
    tool_call_id: toolCallId,
    tool_call_ids: toolCallIds,
    tokens: Math.round(row.tokens),
    platform_message_id: row.platformMessageId ?? null,
  };
}

/** Takes the session's next seqs, inserts at them and writes the search pieces, in one statement. */
async function insertRecords(
  tx: Transaction,
  { sessionId, change }: AppendOptions,
  { records, pieces }: { records: readonly object[]; pieces: readonly SearchPiece[] },
): Promise<Appended> {
  const room = records.length * seqGap;
  const also = sql.join(change?.sets.map((set) => sql`, ${set}`) ?? []);
  const rows = await run<MessageRecord & { is_free: boolean }>(
    tx,
    sql`WITH s AS (
          UPDATE sessions SET next_seq = next_seq + ${room}::bigint, revision = revision + 1, updated_at = now()${also}
          WHERE id = ${sessionId} RETURNING next_seq - ${room}::bigint AS first, lease_owner IS NULL AS is_free),
        m AS (
          INSERT INTO messages AS m (session_id, seq, role, kind, sender_id, sender_name, sent_at, turn_id, step, part,
                                     parts, tool_call_id, tool_call_ids, tokens, platform_message_id)
          SELECT ${sessionId}::text, s.first + r.index * ${seqGap}::bigint, r.role, r.kind, r.sender_id, r.sender_name,
                 coalesce(r.sent_at, now()), r.turn_id, r.step, r.part, r.parts, r.tool_call_id, r.tool_call_ids, r.tokens,
                 r.platform_message_id
          FROM s, jsonb_to_recordset(${JSON.stringify(records)}::jsonb) AS r(index bigint, role text, kind text,
                 sender_id text, sender_name text, sent_at timestamptz, turn_id text, step int, part int, parts jsonb,
                 tool_call_id text, tool_call_ids text[], tokens int, platform_message_id text)
          ORDER BY r.index
          RETURNING ${messageColumns}),
        pieces AS (${insertPieces(sessionId, pieces, sql`m AS w`)})
        SELECT m.*, s.is_free FROM m, s`,
    `append_rows_${change?.name ?? ''}`,
  );
  return { rows: rows.map(toMessage).sort((a, b) => a.seq - b.seq), isFree: rows[0]?.is_free ?? false };
}

/** messages: the rows a plan writes. They stand for others, so they carry no turn, step or part and are not indexed. */
import type { MessageRow, PlannedRow } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { callIds, cleanRow } from '../transcript/append-rows.ts';
import { type MessageRecord, messageColumns, toMessage } from '../transcript/message-record.ts';
import { writePayloads } from '../transcript/write-payloads.ts';

export interface PlacedRow {
  row: PlannedRow;
  seq: number;
}

/** Write planned rows at their seqs. A row that replaces one keeps its time unless the plan names another. */
export async function writeDerivedRows(
  tx: Transaction,
  sessionId: string,
  placed: readonly PlacedRow[],
): Promise<readonly MessageRow[]> {
  if (placed.length === 0) return [];
  const cleaned = placed.map(({ row, seq }) => ({ row: cleanRow(row), seq }));
  await writePayloads(
    tx,
    sessionId,
    cleaned.flatMap(({ row }) => row.payloads ?? []),
  );
  const rows = await run<MessageRecord>(
    tx,
    sql`INSERT INTO messages AS m (session_id, seq, role, kind, sender_id, sender_name, sent_at, parts, tool_call_id,
                                   tool_call_ids, tokens, replaces, platform_message_id)
        SELECT ${sessionId}::text, r.seq, r.role, r.kind, r.sender_id, r.sender_name,
               coalesce(r.sent_at, (SELECT o.sent_at FROM messages o WHERE o.session_id = ${sessionId} AND o.id = r.replaces), now()),
               r.parts, r.tool_call_id, r.tool_call_ids, r.tokens, r.replaces, r.platform_message_id
        FROM jsonb_to_recordset(${JSON.stringify(cleaned.map(toRecord))}::jsonb) AS r(seq bigint, role text, kind text,
               sender_id text, sender_name text, sent_at timestamptz, parts jsonb, tool_call_id text, tool_call_ids text[],
               tokens int, replaces bigint, platform_message_id text)
        ORDER BY r.seq
        RETURNING ${messageColumns}`,
    'write_derived_rows',
  );
  return rows.map(toMessage).sort((a, b) => a.seq - b.seq);
}

function toRecord({ row, seq }: PlacedRow) {
  const { toolCallIds, toolCallId } = callIds(row.parts);
  return {
    seq,
    role: row.role,
    kind: row.kind,
    sender_id: row.sender?.id ?? null,
    sender_name: row.sender?.name ?? null,
    sent_at: row.sentAt ?? null,
    parts: row.parts,
    tool_call_id: toolCallId,
    tool_call_ids: toolCallIds,
    tokens: Math.round(row.tokens),
    replaces: row.place.kind === 'replaces' ? row.place.rowId : null,
    platform_message_id: row.platformMessageId ?? null,
  };
}

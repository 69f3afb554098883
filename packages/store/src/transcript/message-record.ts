/** messages: the row as SQL gives it ↔ core's RowHeader and MessageRow. */
import type { MessageRow, Part, Role, RowHeader, RowKind } from '@palimpsest/core';
import { sql } from 'drizzle-orm';

export interface HeaderRecord {
  id: number;
  seq: number;
  role: Role;
  kind: RowKind;
  tokens: number;
  sent_at: Date;
  sender_id: string | null;
  sender_name: string | null;
  turn_id: string | null;
  step: number | null;
  part: number | null;
  tool_call_ids: string[];
  tool_call_id: string | null;
  replaces: number | null;
}

export interface MessageRecord extends HeaderRecord {
  parts: Part[];
}

/** To be selected from `messages m`. */
export const headerColumns = sql.raw(
  `m.id, m.seq, m.role, m.kind, m.tokens, m.sent_at, m.sender_id, m.sender_name, m.turn_id, m.step, m.part,
   m.tool_call_ids, m.tool_call_id, m.replaces`,
);
export const messageColumns = sql`${headerColumns}, m.parts`;

export function toHeader(row: HeaderRecord): RowHeader {
  return {
    id: row.id,
    seq: row.seq,
    role: row.role,
    kind: row.kind,
    tokens: row.tokens,
    sentAt: row.sent_at,
    ...(row.sender_id === null ? {} : { sender: { id: row.sender_id, name: row.sender_name ?? '' } }),
    ...(row.turn_id === null ? {} : { turnId: row.turn_id, step: row.step ?? 0, part: row.part ?? 0 }),
    toolCallIds: row.tool_call_ids,
    ...(row.tool_call_id === null ? {} : { toolCallId: row.tool_call_id }),
    ...(row.replaces === null ? {} : { replaces: row.replaces }),
  };
}

export function toMessage(row: MessageRecord): MessageRow {
  return { ...toHeader(row), parts: row.parts };
}

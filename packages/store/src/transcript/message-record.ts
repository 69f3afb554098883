/** messages: the row as SQL gives it ↔ core's RowHeader and MessageRow. */
import type { MessageRow, Part, Role, RowHeader, RowKind } from '@palimpsest/core';
import { sql } from 'drizzle-orm';

export interface HeaderRecord {
  id: number;
  seq: number;
  role: Role;
  kind: RowKind;
  tokens: number;
  /** Milliseconds since 1970. */
  sent_ms: number;
  sender_id: string | null;
  sender_name: string | null;
  turn_id: string | null;
  step: number | null;
  part: number | null;
  /** null: none. */
  tool_call_ids: string[] | null;
  tool_call_id: string | null;
  replaces: number | null;
}

export interface MessageRecord extends HeaderRecord {
  parts: Part[];
}

/** To be selected from `messages m`. Moments as numbers and no empty arrays: reading their texts costs as much as all the rest. */
export const headerColumns = sql.raw(
  `m.id, m.seq, m.role, m.kind, m.tokens, (extract(epoch FROM m.sent_at) * 1000)::float8 AS sent_ms, m.sender_id, m.sender_name, m.turn_id, m.step, m.part,
   NULLIF(m.tool_call_ids, '{}') AS tool_call_ids, m.tool_call_id, m.replaces`,
);
export const messageColumns = sql`${headerColumns}, m.parts`;

const none: readonly string[] = [];

export function toHeader(row: HeaderRecord): RowHeader {
  return {
    id: row.id,
    seq: row.seq,
    role: row.role,
    kind: row.kind,
    tokens: row.tokens,
    sentAt: new Date(row.sent_ms),
    ...(row.sender_id === null ? {} : { sender: { id: row.sender_id, name: row.sender_name ?? '' } }),
    ...(row.turn_id === null ? {} : { turnId: row.turn_id, step: row.step ?? 0, part: row.part ?? 0 }),
    toolCallIds: row.tool_call_ids ?? none,
    ...(row.tool_call_id === null ? {} : { toolCallId: row.tool_call_id }),
    ...(row.replaces === null ? {} : { replaces: row.replaces }),
  };
}

export function toMessage(row: MessageRecord): MessageRow {
  return { ...toHeader(row), parts: row.parts };
}

import { textOfParts, type MessageRow } from '@palimpsest/core';

/** A row on the page is read, not copied: the rest of a longer text stays in the database. */
const shownCharacters = 4_000;

export interface RowView {
  id: number;
  seq: number;
  role: string;
  kind: string;
  state: 'live' | 'archived' | 'withdrawn';
  archivedBy: number | null;
  replaces: number | null;
  tokens: number;
  sentAt: Date;
  sender: string | null;
  text: string;
  /** Characters left out. */
  cut: number;
  /** Tools an assistant row calls. */
  calls: string[];
}

export function rowView(row: MessageRow & { state: RowView['state']; archivedBy: number | null }): RowView {
  const text = textOfParts(row.parts);
  return {
    id: row.id,
    seq: row.seq,
    role: row.role,
    kind: row.kind,
    state: row.state,
    archivedBy: row.archivedBy,
    replaces: row.replaces ?? null,
    tokens: row.tokens,
    sentAt: row.sentAt,
    sender: row.sender?.name ?? null,
    text: text.slice(0, shownCharacters),
    cut: Math.max(0, text.length - shownCharacters),
    calls: row.parts.flatMap((part) => (part.type === 'tool_call' ? [part.name] : [])),
  };
}

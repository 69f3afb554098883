import { textOfParts, type LcmMessage, type MessageRow } from '@palimpsest/core';

/** A row on the page is read, not copied: the rest of a longer text stays in the database. */
export const shownCharacters = 4_000;

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
    ...cutText(textOfParts(row.parts)),
    calls: row.parts.flatMap((part) => (part.type === 'tool_call' ? [part.name] : [])),
  };
}

/** A message as a node's search gives it; it is out of the prompt. */
export function messageView(message: LcmMessage): RowView {
  const { id, seq, role, rowKind, tokens, sentAt, sender, text } = message;
  const cut = Math.max(0, message.totalCharacters - [...text].length);
  const where = { state: 'archived', archivedBy: null, replaces: null } as const;
  return { ...where, id, seq, role, kind: rowKind, tokens, sentAt, sender, text, cut, calls: [] };
}

/** A text on the page, and how much of it was left out. */
export function cutText(text: string): { text: string; cut: number } {
  return { text: text.slice(0, shownCharacters), cut: Math.max(0, text.length - shownCharacters) };
}

import { saidInParts, type MessageRow } from '@palimpsest/core';
import { formatTime } from '../render-person.ts';

/** Characters in front of the place that was found, where a long text is cut there too. */
const leadCharacters = 120;

/** How one message is shown. */
export interface LineWish {
  timezone: string;
  /** Character that is to be seen. */
  from: number;
  /** Characters of the text at most. */
  limit: number;
}

/** `[time] who (id N): text`: a message that can be read on. */
export function messageLine(row: MessageRow, wish: LineWish): string {
  return `[${formatTime(row.sentAt, wish.timezone)}] ${who(row)} (id ${row.id}): ${cutText(row, wish)}`;
}

/** `who: text`: a message beside one whose time and id are shown. */
export function besideLine(row: MessageRow, limit: number): string {
  return `${who(row)}: ${cutText(row, { from: 0, limit })}`;
}

function who(row: MessageRow): string {
  return row.sender?.name ?? row.role;
}

/** A long text is cut to a window with the wished place in it. */
function cutText(row: MessageRow, { from, limit }: Omit<LineWish, 'timezone'>): string {
  const said = saidInParts(row.parts);
  if (said.length <= limit) return said.trim();
  const start = from + leadCharacters < limit ? 0 : Math.min(from - leadCharacters, said.length - limit);
  const end = start + limit;
  const text = said.slice(start, end).toWellFormed();
  return `${start > 0 ? '…' : ''}${text}${end < said.length ? `… [cut; offset ${end} reads on]` : ''}`;
}

import type { Json } from './json.ts';

/** One server-sent event as bytes on the wire. */
export function serverSentEvent(data: Json, event?: string): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

/** The text in pieces of at most `size` UTF-16 units, never inside a surrogate pair; empty text gives none. */
export function cutInChunks(text: string, size: number): readonly string[] {
  const pieces: string[] = [];
  let at = 0;
  while (at < text.length) {
    let end = Math.min(text.length, at + Math.max(1, size));
    const last = text.charCodeAt(end - 1);
    if (last >= 0xd800 && last <= 0xdbff && end < text.length) end += 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

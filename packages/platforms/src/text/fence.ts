/** Code fences of Markdown, as far as a splitter must know them to close and reopen one. */

/** An open code block. `prefix` is the indentation or quote mark its lines begin with. */
export interface Fence {
  prefix: string;
  /** The run of back-ticks or tildes. */
  marker: string;
  /** First word of the info string; '' without one or when it is too long to be said again. */
  language: string;
}

/** What one line does to the fence. `markerEnd` is where the closing run ends in the line. */
export type FenceLine =
  | { kind: 'opens'; fence: Fence }
  | { kind: 'closes'; markerEnd: number }
  | { kind: 'none' };

const fenceLine = /^([ \t>]*)(`{3,}|~{3,})([^\n]*)$/;

/**
 * Read one line (without its line break) while `open` is the block it stands in.
 * Openers longer than `longest` are taken for text: said again in every part they would leave no room.
 */
export function readFenceLine(line: string, open: Fence | null, longest: number): FenceLine {
  const [, prefix, marker, info] = fenceLine.exec(line) ?? [];
  if (prefix === undefined || marker === undefined || info === undefined) return { kind: 'none' };
  if (open)
    return closes(open, marker, info)
      ? { kind: 'closes', markerEnd: prefix.length + marker.length }
      : { kind: 'none' };
  const isInline = marker.startsWith('`') && info.includes('`');
  if (isInline || line.length > longest) return { kind: 'none' };
  return { kind: 'opens', fence: { prefix, marker, language: info.trim().split(/\s/)[0] ?? '' } };
}

/** The line that opens the block again in the next part, with its line break. */
export function openingOf(fence: Fence | null): string {
  return fence ? `${fence.prefix}${fence.marker}${fence.language}\n` : '';
}

/** What closes the block at the end of a part, with the line break before it. */
export function closingOf(fence: Fence | null): string {
  return fence ? `\n${fence.prefix}${fence.marker}` : '';
}

function closes(open: Fence, marker: string, info: string): boolean {
  return marker[0] === open.marker[0] && marker.length >= open.marker.length && info.trim() === '';
}

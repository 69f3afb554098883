import { displayWidth } from './display-width.ts';

export type Alignment = 'left' | 'right' | 'center' | null;

/** Nothing is filled up to more than this: one long cell would push every other one out of sight. */
const widestColumn = 60;

/**
 * A table as lines of one width a column, for a monospaced block.
 *
 * rows     the first is the head; a cell may have several lines
 * returns  head, a line of dashes, then the other rows; no spaces at the ends of lines
 */
export function drawTable(rows: readonly (readonly string[])[], align: readonly Alignment[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) => widthOf(rows, column));
  const [head, ...body] = rows.map((row) => drawRow(row, widths, align));
  return [head, widths.map((width) => '-'.repeat(width)).join('-+-'), ...body].join('\n');
}

function widthOf(rows: readonly (readonly string[])[], column: number): number {
  const lines = rows.flatMap((row) => (row[column] ?? '').split('\n'));
  return Math.max(1, ...lines.map(displayWidth).map((width) => Math.min(width, widestColumn)));
}

function drawRow(row: readonly string[], widths: readonly number[], align: readonly Alignment[]): string {
  const cells = widths.map((_, column) => (row[column] ?? '').split('\n'));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, column) => pad(lines[line] ?? '', widths[column]!, align[column] ?? null))
      .join(' | ')
      .trimEnd(),
  ).join('\n');
}

function pad(text: string, width: number, align: Alignment): string {
  const free = Math.max(0, width - displayWidth(text));
  if (align === 'right') return ' '.repeat(free) + text;
  const before = align === 'center' ? Math.floor(free / 2) : 0;
  return ' '.repeat(before) + text + ' '.repeat(free - before);
}

/** Where a text is looked at: one line of it, and what the marks around it are. */
export interface EscapeContext {
  /** The line, as people should see it. */
  text: string;
  /** Positions where marks stand. */
  borders: ReadonlySet<number>;
  /** Between underscores every underscore would end them. */
  isItalic: boolean;
}

// What Discord takes for an address; a backslash in it would become part of it.
const address = /https?:\/\/[^\s<]+[^<.,:;"')\]\s]/g;

/**
 * The stretch of a line with a backslash in front of everything that Discord would take for a mark, and of nothing else:
 * text without marks stays as it is, `snake_case` and `2 * 3` with it.
 */
export function escapeDiscord(start: number, end: number, context: EscapeContext): string {
  const addresses = [...context.text.matchAll(address)];
  let written = '';
  for (let position = start; position < end; position += 1) {
    const character = context.text[position]!;
    const isInAddress = addresses.some(
      ({ index, 0: found }) => index <= position && position < index + found.length,
    );
    written += !isInAddress && isMark(position, context) ? `\\${character}` : character;
  }
  return written;
}

function isMark(position: number, context: EscapeContext): boolean {
  const { text, borders } = context;
  const character = text[position]!;
  const before = text[position - 1] ?? '';
  const after = text[position + 1] ?? '';
  const isAtBorder = borders.has(position) || borders.has(position + 1);
  if (isBlockMark(position, text)) return true;
  switch (character) {
    case '\\':
      return isAtBorder || /[^\p{L}\p{N}\s]/u.test(after);
    case '`':
      return true;
    case '*':
      return isAtBorder || !/^\s*$/.test(before) || !/^\s*$/.test(after);
    case '_':
      return isAtBorder || context.isItalic || !isWord(before) || !isWord(after);
    case '~':
    case '|':
      return isAtBorder || before === character || after === character;
    case '[':
      return text.includes('](', position);
    case '<':
      return /^(?:[@#:/]|a:|t:|id:|https?:)/.test(text.slice(position + 1, position + 8));
    default:
      return false;
  }
}

/** Marks that make a heading, small print, a list or a quote of a line. */
function isBlockMark(position: number, text: string): boolean {
  if (!/[#>*+.-]/.test(text[position]!)) return false;
  const before = text.slice(0, position);
  const isFirst = before.trim() === '';
  const behind = text.slice(position + 1);
  switch (text[position]) {
    case '#':
      return isFirst && /^#{0,2}(?:\s|$)/.test(behind);
    case '-':
      return isFirst && /^(?:\s|#)/.test(behind);
    case '*':
    case '+':
      return isFirst && /^\s/.test(behind);
    case '>':
      return isFirst;
    default:
      return /^\s*\d+$/.test(before) && /^\s/.test(behind);
  }
}

function isWord(character: string): boolean {
  return /[A-Za-z0-9]/.test(character);
}

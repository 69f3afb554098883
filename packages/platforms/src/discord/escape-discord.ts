import { encodedLink } from '../text/linkable.ts';
import type { StyledText } from '../text/styled-text.ts';

/** Where a text is looked at: one line of it, and what the marks around it are. */
export interface EscapeContext {
  /** The line, as people should see it. */
  text: string;
  /** Positions where marks stand. */
  borders: ReadonlySet<number>;
  /** Whether an underscore between two letters could be taken for the begin or end of italics. */
  hasUnderscores: boolean;
  /**
   * Whether a link of the line has brackets in its label, or what looks like one stands in code: an open one before it
   * would be taken for its beginning.
   */
  hasBracketLabel: boolean;
}

// What Discord takes for an address; a backslash in it would become part of it.
const address = /https?:\/\/[^\s<]+[^<.,:;"')\]\s]/g;

/**
 * The stretch of a line with a backslash in front of everything that Discord would take for a mark, and of nothing else:
 * text without marks stays as it is, `snake_case` and `2 * 3` with it.
 */
export function escapeDiscord(start: number, end: number, context: EscapeContext): string {
  const { text } = context;
  const isBehindStart = text.slice(0, start).trim() !== '';
  if (isBehindStart && !/[\\`*_~|[\]<.]/.test(text.slice(start, end))) return text.slice(start, end);
  const addresses = addressesIn(text);
  let written = '';
  for (let position = start; position < end; position += 1) {
    const character = text[position]!;
    const isInAddress = addresses.some((found) => found.start <= position && position < found.end);
    if (isInAddress || !isMark(position, context)) written += character;
    // Behind an address a backslash would become part of it.
    else if (/https?:\/\/[^\s<]+$/.test(text.slice(0, position))) written += `${character}\u200B`;
    else written += `\\${character}`;
    // No backslash keeps Discord from making a link of this.
    if (text.startsWith('](', position)) written += '\u200B';
  }
  return written;
}

/** What Discord takes for addresses in a line. */
export function addressesIn(text: string): readonly { start: number; end: number }[] {
  if (!text.includes('http')) return [];
  return [...text.matchAll(address)].map(({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }));
}

/**
 * Whether underscores stand in a message without a backslash and could end what one between two letters seems to begin:
 * those of code and addresses, and our own around italics.
 */
export function hasUnderscores({ text, spans }: StyledText): boolean {
  const code = spans.filter(({ kind }) => kind === 'code' || kind === 'pre');
  const urls = spans.flatMap((span) => (span.kind === 'link' ? [encodedLink(span.url)] : []));
  const bare = [
    ...code.map(({ start, end }) => text.slice(start, end)),
    ...(text.match(address) ?? []),
    ...urls,
  ];
  return spans.some(({ kind }) => kind === 'italic') || bare.some((raw) => /_(?!\w)/.test(raw));
}

/** Whether code holds what Discord could take for the end of a link: it looks for one over lines and code. */
export function hasLinkInCode({ text, spans }: StyledText): boolean {
  return spans.some(
    ({ kind, start, end }) =>
      (kind === 'code' || kind === 'pre') && /\]\(\s*<?https?:/.test(text.slice(start, end)),
  );
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
      return isAtBorder || /[^0-9A-Za-z\s]/.test(after);
    case '`':
      return true;
    case '*':
      return isAtBorder || !/^\s*$/.test(before) || !/^\s*$/.test(after);
    case '_':
      return isAtBorder || context.hasUnderscores || !isWord(before) || !isWord(after);
    case '~':
    case '|':
      return isAtBorder || before === character || after === character;
    case '[':
      return context.hasBracketLabel;
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

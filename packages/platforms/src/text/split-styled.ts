/** Splits a formatted answer into messages: blank? fits? → cut, trim, again. Every platform counts in its own form. */
import { findCut } from './find-cut.ts';
import { plainText, sliceStyled, spanAt, type StyledText } from './styled-text.ts';

/** Sent in place of a text with nothing to see in it: platforms refuse empty messages, and silence would look like a fault. */
export const emptyTextMark = '(empty message)';

export interface SplitLimits {
  /** Most UTF-16 units of a piece's text; at least 2. */
  limit: number;
  /** Whether a piece fits into one message in the platform's own form; one character always must. */
  fits?(piece: StyledText): boolean;
}

/**
 * Split a text into pieces that fit into one message each, in order.
 *
 * A text that fits is returned as it is. Cuts prefer paragraph, line, sentence and word borders in this order and never
 * fall into a surrogate pair. Every piece is a stretch of the text with the styles it has there; between two pieces, and
 * behind the last, nothing but white space, control and format characters is left out. Every piece has something to see;
 * a text without is one piece, `emptyTextMark`.
 */
export function splitStyled(styled: StyledText, limits: SplitLimits): readonly StyledText[] {
  const { text } = styled;
  if (isBlank(text)) return [plainText(emptyTextMark)];
  if (isWithin(styled, limits)) return [styled];
  const pieces: StyledText[] = [];
  let start = 0;
  while (start < text.length) {
    // Only what one message may hold is looked at, so that the time grows with the length and not with its square.
    const ahead = sliceStyled(styled, start, start + limits.limit + lookAhead);
    const isRest = start + ahead.text.length === text.length && isWithin(ahead, limits);
    const { end, next } = isRest
      ? { end: ahead.text.length, next: ahead.text.length }
      : findCut(ahead, { room: roomIn(ahead, limits), fits: (piece) => isWithin(piece, limits) });
    const piece = trimEnd(sliceStyled(ahead, 0, end));
    if (!isBlank(piece.text)) pieces.push(piece);
    start = skipBlankLines(styled, start + next);
  }
  return pieces;
}

/** Enough to see whether a character goes on behind the limit. */
const lookAhead = 32;

/** The longest beginning that fits. */
function roomIn(ahead: StyledText, limits: SplitLimits): number {
  let fitting = 1;
  let tooLong = Math.min(limits.limit, ahead.text.length) + 1;
  while (tooLong - fitting > 1) {
    const middle = Math.floor((fitting + tooLong) / 2);
    if (isWithin(sliceStyled(ahead, 0, middle), limits)) fitting = middle;
    else tooLong = middle;
  }
  return fitting;
}

function isWithin(piece: StyledText, { limit, fits }: SplitLimits): boolean {
  return piece.text.length <= limit && (fits?.(piece) ?? true);
}

/** Code keeps its empty lines. */
function trimEnd(piece: StyledText): StyledText {
  const last = piece.text.length - 1;
  if (spanAt(piece, 'pre', last)) return piece;
  return sliceStyled(piece, 0, piece.text.trimEnd().length);
}

/** Empty lines at a cut go; indentation stays. */
function skipBlankLines(styled: StyledText, position: number): number {
  if (spanAt(styled, 'pre', position)) return position;
  const blank = /\s*\n/y;
  blank.lastIndex = position;
  const end = position + (blank.exec(styled.text)?.[0].length ?? 0);
  // Code behind the cut keeps its own.
  const code = styled.spans.find((span) => span.kind === 'pre' && span.start >= position && span.start < end);
  return code?.start ?? end;
}

/** Nothing to see: white space, control and format characters only. */
function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}]/u.test(text);
}

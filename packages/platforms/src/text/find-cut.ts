/** Finds where a text that is too long for one message is best cut. */
import { sliceStyled, spanAt, type StyledText } from './styled-text.ts';

export interface CutLimits {
  /** Most UTF-16 units before the cut; at least 1. */
  room: number;
  fits(piece: StyledText): boolean;
}

/** A place to cut: the piece ends before `end`, the next one begins at `next`. */
export interface Cut {
  end: number;
  next: number;
}

/** From good to bad; `heading` parts a heading from what it stands above. */
type Rank = 'paragraph' | 'line' | 'sentence' | 'word' | 'heading' | 'character';
const borders: readonly Rank[] = ['paragraph', 'line', 'sentence', 'word'];
const anywhere: readonly Rank[] = [...borders, 'heading', 'character'];

interface RankedCut extends Cut {
  rank: Rank;
}

/**
 * The best cut of a text that does not fit: the last paragraph, else line, sentence or word border in the second half of
 * the room, else the last of any kind, else between two characters. `end` is always above 0.
 */
export function findCut(styled: StyledText, { room, fits }: CutLimits): Cut {
  for (let left = room; left > 0;) {
    const cuts = [...listCuts(styled, left)];
    const cut = lastOf(cuts, borders, left / 2) ?? lastOf(cuts, anywhere, 0);
    if (!cut) break;
    // Rarely the shorter piece is the longer one in the platform's form: a character at its end needs an escape.
    if (fits(sliceStyled(styled, 0, cut.end))) return cut;
    left = cut.end - 1;
  }
  const end = styled.text.codePointAt(0)! > 0xffff ? 2 : 1;
  return { end, next: end };
}

function lastOf(cuts: readonly RankedCut[], ranks: readonly Rank[], from: number): RankedCut | undefined {
  const found = ranks.map((rank) => cuts.findLast((cut) => cut.rank === rank && cut.end >= from));
  return found.find((cut) => cut !== undefined);
}

function* listCuts(styled: StyledText, room: number): Generator<RankedCut> {
  const { text } = styled;
  for (let start = 0; start <= text.length;) {
    if (start > 1) yield { end: start - 1, next: start, rank: rankBefore(styled, start) };
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak === -1 ? text.length : lineBreak;
    if (end > room) {
      yield* cutsInside(text, { start, end, room });
      return;
    }
    start = end + 1;
  }
}

function rankBefore(styled: StyledText, start: number): Rank {
  const { text } = styled;
  const before = text.slice(0, start).trimEnd().length - 1;
  if (spanAt(styled, 'heading', before)) return 'heading';
  const code = spanAt(styled, 'pre', start);
  if (code && code.start < start) return 'line';
  // A code block is kept whole where it can be, so the places before and after it are as good as an empty line.
  if (code || spanAt(styled, 'pre', start - 2)) return 'paragraph';
  return text.slice(text.lastIndexOf('\n', start - 2) + 1, start - 1).trim() === '' ? 'paragraph' : 'line';
}

/** Places in a line that goes past the room. */
function* cutsInside(
  text: string,
  { start, end: lineEnd, room }: { start: number; end: number; room: number },
): Generator<RankedCut> {
  const line = text.slice(start, Math.min(lineEnd, room + 1));
  for (const [pattern, rank] of [
    [/[.!?…]["'”’)\]]*(?=\s)|[。！？]/gu, 'sentence'],
    [/(?<=\S)(?=\s)/gu, 'word'],
  ] as const) {
    const ends = [...line.matchAll(pattern)].map((found) => start + found.index + found[0].length);
    const end = ends.findLast((position) => position > 0 && position <= room);
    if (end !== undefined) yield { end, next: skipSpaces(text, end), rank };
  }
  const end = betweenCharacters(text, start, room);
  if (end > start) yield { end, next: end, rank: 'character' };
}

function skipSpaces(text: string, position: number): number {
  const spaces = /[^\S\n]*/y;
  spaces.lastIndex = position;
  return position + (spaces.exec(text)?.[0].length ?? 0);
}

/** At or before `last`, between characters as people see them if possible; never inside a surrogate pair. */
function betweenCharacters(text: string, start: number, last: number): number {
  const from = Math.max(start, last - 64);
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(
    text.slice(from, last + 16),
  );
  const inside = graphemes.containing(last - from)?.index ?? last - from;
  if (inside > 0) return from + inside;
  return isInsidePair(text, last) ? last - 1 : last;
}

function isInsidePair(text: string, position: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(position - 1, position + 1));
}

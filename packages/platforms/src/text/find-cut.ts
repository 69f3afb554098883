/** Finds where a text that is too long for one message is best cut. */
import { GatewayError } from '@palimpsest/core';
import { closingOf, readFenceLine, type Fence, type FenceLine } from './fence.ts';

/** What is still to be sent, and how much of it the next part may hold. */
export interface CutRequest {
  rest: string;
  /** The code block that `rest` begins inside of. */
  open: Fence | null;
  /** UTF-16 units for text and closing fence; at least 8. */
  room: number;
  /** Longest line that counts as the opening of a code block. */
  longestOpener: number;
}

/** A place to cut: the part ends before `end`, the next one begins at `next`. */
export interface Cut {
  end: number;
  next: number;
  /** The block to close at the end of this part. */
  close: Fence | null;
  /** The block the next part begins inside of. */
  reopen: Fence | null;
}

/** From good to bad; `bare` leaves a code block without a line in this part. */
type Rank = 'paragraph' | 'line' | 'sentence' | 'word' | 'character' | 'bare';
const borders: readonly Rank[] = ['paragraph', 'line', 'sentence', 'word'];
const anywhere: readonly Rank[] = [...borders, 'character', 'bare'];

interface RankedCut extends Cut {
  rank: Rank;
}

/** A line of `rest` with the block before and after it. */
interface Line {
  start: number;
  end: number;
  before: Fence | null;
  after: Fence | null;
  fenceLine: FenceLine;
}

/**
 * The best cut of a text longer than `room`: the last paragraph, else line, sentence or word border in the second
 * half of the part, else the last of any kind, else between two characters. `end` is always above 0.
 */
export function findCut(request: CutRequest): Cut {
  const cuts = [...listCuts(request)];
  const cut = lastOf(cuts, borders, request.room / 2) ?? lastOf(cuts, anywhere, 0);
  if (!cut)
    throw new GatewayError(
      'internal',
      `no place to cut a text of ${request.rest.length} units with room for ${request.room}`,
    );
  return cut;
}

/** The block still open at the end of `rest`. */
export function fenceAtEnd(request: Omit<CutRequest, 'room'>): Fence | null {
  let open = request.open;
  for (const line of linesOf(request)) open = line.after;
  return open;
}

function lastOf(cuts: readonly RankedCut[], ranks: readonly Rank[], from: number): RankedCut | undefined {
  const found = ranks.map((rank) => cuts.findLast((cut) => cut.rank === rank && cut.end >= from));
  return found.find((cut) => cut !== undefined);
}

function* listCuts(request: CutRequest): Generator<RankedCut> {
  let previous: Line | null = null;
  for (const line of linesOf(request)) {
    const cut = cutBefore(request, line, previous);
    if (cut) yield cut;
    const { after, fenceLine } = line;
    const last = request.room - closingOf(after).length;
    if (line.end > last) {
      if (fenceLine.kind === 'none') yield* cutsInside(request, line, last);
      if (fenceLine.kind === 'closes') yield* cutAfterClosing(request, line, fenceLine.markerEnd);
      return;
    }
    previous = line;
  }
}

function cutBefore(request: CutRequest, line: Line, previous: Line | null): RankedCut | null {
  const end = line.start - 1;
  if (!previous || end < 1 || end + closingOf(line.before).length > request.room) return null;
  // Our closing fence stands for the one that was there; else the next part would begin with an empty block.
  if (line.fenceLine.kind === 'closes')
    return { end, next: line.end, close: line.before, reopen: null, rank: 'paragraph' };
  return {
    end,
    next: line.start,
    close: line.before,
    reopen: line.before,
    rank: rankBefore(request.rest, line, previous),
  };
}

function rankBefore(rest: string, line: Line, previous: Line): Rank {
  if (previous.fenceLine.kind === 'opens') return 'bare';
  if (line.before) return 'line';
  // A code block is kept whole where it can be, so the places before and after it are as good as an empty line.
  const isBorder = line.fenceLine.kind === 'opens' || previous.fenceLine.kind === 'closes';
  return isBorder || rest.slice(previous.start, previous.end).trim() === '' ? 'paragraph' : 'line';
}

function cutAfterClosing(request: CutRequest, line: Line, markerEnd: number): RankedCut[] {
  const end = line.start + markerEnd;
  return end <= request.room ? [{ end, next: end, close: null, reopen: null, rank: 'line' }] : [];
}

/** Places in a line that goes past the room; none after `last`. */
function* cutsInside(request: CutRequest, line: Line, last: number): Generator<RankedCut> {
  const { rest } = request;
  const text = rest.slice(line.start, Math.min(line.end, last + 1));
  const common = { close: line.before, reopen: line.before };
  for (const [pattern, rank] of [
    [/[.!?…]["'”’)\]]*(?=\s)|[。！？]/gu, 'sentence'],
    [/(?<=\S)(?=\s)/gu, 'word'],
  ] as const) {
    const ends = [...text.matchAll(pattern)].map((found) => line.start + found.index + found[0].length);
    const end = ends.findLast((position) => position > 0 && position <= last);
    if (end !== undefined) yield { end, next: skipSpaces(rest, end), rank, ...common };
  }
  const end = betweenCharacters(rest, line.start, last);
  if (end > line.start) yield { end, next: end, rank: 'character', ...common };
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

function* linesOf({ rest, open, longestOpener }: Omit<CutRequest, 'room'>): Generator<Line> {
  let before = open;
  for (let start = 0; start <= rest.length;) {
    const lineBreak = rest.indexOf('\n', start);
    const end = lineBreak === -1 ? rest.length : lineBreak;
    const fenceLine = readFenceLine(rest.slice(start, end), before, longestOpener);
    const after: Fence | null =
      fenceLine.kind === 'opens' ? fenceLine.fence : fenceLine.kind === 'closes' ? null : before;
    yield { start, end, before, after, fenceLine };
    before = after;
    start = end + 1;
  }
}

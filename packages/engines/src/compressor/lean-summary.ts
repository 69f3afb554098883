import { estimateTokens, textOfParts, type Part, type RowHeader } from '@palimpsest/core';
import { AnchorBook } from './anchor-book.ts';
import { renderAnchors } from './anchor-index.ts';
import { joinSections, splitSections, type LeanParts } from './lean-sections.ts';
import { recoveryCall } from './recovery-pointer.ts';
import { redact } from './redact.ts';
import { shareOf } from './resolve-threshold.ts';
import { isImage, isPerson } from './row-kinds.ts';
import { splitMerged } from './summary-text.ts';
import { quoteLines, renderQuotes, type Quote } from './user-quotes.ts';

/** Most characters of the snapshot: the newest request, word for word. */
const snapshotChars = 1_400;
/** About what 24,000 and 7,000 characters cost. */
const mostQuoteTokens = 8_000;
const mostAnchorTokens = 2_500;
/** In a small window the parts yield to these shares of it. */
const quoteShare = 0.08;
const anchorShare = 0.03;
const recoveryTokens = 90;

/** What the parts beside the model's text may cost, estimated tokens. */
export interface LeanCaps {
  quotes: number;
  anchors: number;
  /** All parts together. */
  total: number;
}

export function leanCaps(windowTokens: number, scale: number): LeanCaps {
  const real = Math.max(1, scale);
  const quotes = Math.floor(Math.min(mostQuoteTokens, shareOf(windowTokens, quoteShare)) / real);
  const anchors = Math.floor(Math.min(mostAnchorTokens, shareOf(windowTokens, anchorShare)) / real);
  return { quotes, anchors, total: quotes + anchors + recoveryTokens };
}

/** Everything the mechanical parts are made from: earlier summaries taken apart, and the archived rows in order. */
export interface LeanGround {
  earlier: LeanParts;
  rows: readonly RowHeader[];
  bodyOf(row: RowHeader): readonly Part[];
  /** True in groups, where it matters who said something. */
  namesSpeakers: boolean;
}

/** Earlier summaries as one, oldest first: prose in their order, quotes newest first, counts added up. */
export function joinEarlier(bodies: readonly string[]): LeanParts {
  const parts = bodies.map(splitSections);
  return {
    prose: parts
      .map(({ prose }) => prose)
      .filter((prose) => prose !== '')
      .join('\n\n'),
    snapshot: parts.findLast(({ snapshot }) => snapshot !== null)?.snapshot ?? null,
    anchors: parts.flatMap(({ anchors }) => anchors),
    quotes: parts.toReversed().flatMap(({ quotes }) => quotes),
  };
}

/**
 * The mechanical parts behind a text that a model or the local summary wrote, within `caps` and within `roomTokens`, so
 * that the whole stays smaller than what it stands for.
 */
export function addLeanParts(
  prose: string,
  ground: LeanGround,
  { caps, roomTokens }: { caps: LeanCaps; roomTokens: number },
): string {
  const own = splitSections(prose);
  const said = quotesOf(ground);
  const { snapshot, quotes } = snapshotAndQuotes(said, ground.earlier);
  const recovery = recoveryText(ground, said);
  let room = roomTokens - estimateTokens(recovery);
  const anchors = room <= 0 ? '' : renderAnchors(anchorsOf(ground), Math.min(caps.anchors, room * 0.35));
  room = Math.min(caps.quotes, room - estimateTokens(anchors));
  const snapshotText = snapshot && room > 40 ? quoteLines(cutTo(snapshot.text, room * 0.6)) : '';
  room -= estimateTokens(snapshotText);
  return joinSections({
    prose: own.prose === '' ? prose : own.prose,
    snapshot: snapshotText,
    anchors,
    quotes: room > 40 ? renderQuotes(quotes, room) : '',
    recovery: roomTokens > recoveryTokens ? recovery : '',
  });
}

/** The newest request is shown apart; an older one of an earlier summary goes back among the quotes. */
function snapshotAndQuotes(
  said: readonly Quote[],
  earlier: LeanParts,
): { snapshot: Quote | null; quotes: readonly Quote[] } {
  const [newest, ...older] = said;
  const former = earlier.snapshot ? [earlier.snapshot] : [];
  if (!newest) return { snapshot: earlier.snapshot, quotes: earlier.quotes };
  const isWhole = newest.text.length <= snapshotChars;
  return { snapshot: newest, quotes: [...(isWhole ? older : said), ...former, ...earlier.quotes] };
}

/** `said` is without the speaker's name. */
interface SaidQuote extends Quote {
  said: string;
}

/** Words of a person; of a long text its preview. Pictures have none. */
function isSaid(part: Part): boolean {
  return part.type === 'text' || (part.type === 'payload' && !isImage(part));
}

/** What people said in the archived rows, newest first; notes of ours are left out. */
function quotesOf({ rows, bodyOf, namesSpeakers }: LeanGround): readonly SaidQuote[] {
  const quotes: SaidQuote[] = [];
  for (const row of rows.toReversed()) {
    if (!isPerson(row)) continue;
    const parts = splitMerged(bodyOf(row)).content;
    const said = redact(textOfParts(parts.filter(isSaid)).replaceAll('\r', '').trim());
    if (said === '') continue;
    const name = namesSpeakers && row.sender ? `${row.sender.name}: ` : '';
    quotes.push({ day: dayOf(row, parts), text: name + said, said });
  }
  return quotes;
}

/** The day as the header of the message has it, in the configured zone. */
function dayOf(row: RowHeader, parts: readonly Part[]): string {
  const header = parts.find((part) => part.type === 'header')?.text ?? '';
  const inHeader = /^\[[^\]\n]{0,20}?(\d{4}-\d\d-\d\d)/.exec(header)?.[1];
  if (inHeader) return inHeader;
  return Number.isNaN(row.sentAt.getTime()) ? '' : row.sentAt.toISOString().slice(0, 10);
}

function anchorsOf({ earlier, rows, bodyOf }: LeanGround) {
  const book = new AnchorBook();
  if (earlier.anchors.length > 0) book.addEarlier(earlier.anchors);
  else if (earlier.prose !== '') book.read(earlier.prose, true);
  for (const row of rows) for (const part of splitMerged(bodyOf(row)).content) readPart(part, book);
  return book.ranked();
}

function readPart(part: Part, book: AnchorBook): void {
  if (part.type === 'text') book.read(part.text, true);
  else if (part.type === 'tool_result') book.read(part.text, false);
  else if (part.type === 'payload') book.read(part.preview, false);
  else if (part.type === 'tool_call') for (const text of stringsOf(part.arguments)) book.read(text, false);
}

/** The strings of a JSON text without its escapes; what does not parse is read as it is. */
function stringsOf(json: string): readonly string[] {
  try {
    return stringsIn(JSON.parse(json));
  } catch {
    return [json];
  }
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(stringsIn);
}

/** The call is made of words of one archived row, so that it brings a row back: the newest that says enough. */
function recoveryText({ rows, bodyOf }: LeanGround, said: readonly SaidQuote[]): string {
  const sample = said.find((quote) => quote.said.length >= 12)?.said ?? lastWords(rows, bodyOf);
  return [
    'The archived turns are kept word for word. Before you say that something is not known, or where a detail is missing here, look it up:',
    `${recoveryCall(sample)} finds them; put words of what you look for into "query".`,
    'A hit names message ids; session_search {"around_message_id": ID} reads on around one.',
  ].join('\n');
}

function lastWords(rows: readonly RowHeader[], bodyOf: LeanGround['bodyOf']): string {
  for (const row of rows.toReversed()) {
    const spoken = bodyOf(row).filter((part) => part.type === 'text' || part.type === 'tool_result');
    const text = redact(textOfParts(spoken).slice(0, 4_000)).trim();
    if (text.length >= 12) return text;
  }
  return '';
}

function cutTo(text: string, capTokens: number): string {
  const tokens = estimateTokens(text);
  const share = Math.min(1, capTokens / Math.max(1, tokens), snapshotChars / Math.max(1, text.length));
  return share === 1
    ? text
    : `${text.slice(0, Math.max(1, Math.floor(text.length * share) - 1)).toWellFormed()}…`;
}

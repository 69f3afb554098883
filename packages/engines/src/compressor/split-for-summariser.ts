import { estimateTokens } from '@palimpsest/core';

/** Share of the summariser's window that one request may fill; the rest is for the answer and the error of the estimate. */
const inputShare = 0.55;
const leastInputTokens = 400;

/** Tokens that one request to a summariser may hold, of any window. */
export function summariserInputTokens(windowTokens: number): number {
  return Math.max(leastInputTokens, Math.floor(windowTokens * inputShare));
}

interface Sized {
  text: string;
  tokens: number;
}

/**
 * Pack texts in order into requests of at most `limitTokens`. Nothing is left out, sampled or cut away: a text over the
 * limit is divided and its pieces follow one another. No texts give no request.
 */
export function splitForSummariser(texts: readonly string[], limitTokens: number): readonly string[] {
  const chunks: string[] = [];
  let open: string[] = [];
  let openTokens = 0;
  for (const piece of texts.flatMap((text) => splitText(text, limitTokens))) {
    if (open.length > 0 && openTokens + piece.tokens > limitTokens) {
      chunks.push(open.join('\n'));
      open = [];
      openTokens = 0;
    }
    open.push(piece.text);
    openTokens += piece.tokens;
  }
  if (open.length > 0) chunks.push(open.join('\n'));
  return chunks;
}

/** Pieces of a text within a limit, divided at line ends or blanks; joined they are the text. */
function splitText(text: string, limitTokens: number): readonly Sized[] {
  const tokens = estimateTokens(text);
  if (tokens <= limitTokens || text.length < 2) return [{ text, tokens }];
  const count = Math.ceil((tokens / limitTokens) * 1.1);
  const width = Math.max(1, Math.ceil(text.length / count));
  const pieces: Sized[] = [];
  for (let start = 0; start < text.length;) {
    const end = niceEnd(text, start, Math.min(text.length, start + width));
    // A dense stretch can still be over the limit; it is divided again.
    pieces.push(...splitText(text.slice(start, end), limitTokens));
    start = end;
  }
  return pieces;
}

/** A border near `end`: after a line, else after a blank, else never inside a surrogate pair. Always past `start`. */
function niceEnd(text: string, start: number, end: number): number {
  if (end >= text.length) return text.length;
  const earliest = start + Math.floor((end - start) * 0.8);
  const line = text.lastIndexOf('\n', end - 1) + 1;
  if (line > earliest) return line;
  const blank = text.lastIndexOf(' ', end - 1) + 1;
  if (blank > earliest) return blank;
  const code = text.charCodeAt(end - 1);
  const splitsPair = code >= 0xd800 && code <= 0xdbff;
  return splitsPair && end - 1 > start ? end - 1 : end;
}

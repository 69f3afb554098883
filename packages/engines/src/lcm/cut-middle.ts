import { estimateTokens } from '@palimpsest/core';
import { cutToTokens } from '../compressor/deterministic-summary.ts';

/** Share of the kept text that is its beginning. */
const headShare = 0.7;

/** Beginning and end of a text within a token cap, whole characters; what lies between is said to be left out. */
export function cutMiddle(text: string, capTokens: number): string {
  const total = estimateTokens(text);
  if (total <= capTokens) return text;
  const mark = `\n[… cut, ${total} tokens in all …]\n`;
  const room = Math.max(1, capTokens - estimateTokens(mark) - 2);
  const head = cutToTokens(text, Math.floor(room * headShare));
  const tail = cutFromEnd(text.slice(head.length), Math.floor(room * (1 - headShare)));
  return cutToTokens(`${head}${mark}${tail}`, capTokens);
}

/** The end of a text within a token cap. */
function cutFromEnd(text: string, capTokens: number): string {
  let kept = text;
  for (let tokens = estimateTokens(kept); tokens > capTokens && kept !== ''; tokens = estimateTokens(kept)) {
    const length = Math.min(kept.length - 1, Math.floor((kept.length * capTokens * 0.98) / tokens));
    kept = length === 0 ? '' : kept.slice(-length).toWellFormed();
  }
  return kept;
}

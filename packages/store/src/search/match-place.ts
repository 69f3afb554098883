import type { SearchTerm } from './parse-query.ts';
import { isUnspaced } from './tokens.ts';

/**
 * Where in a text the query is found: the whole of it if it stands there, else the longest of its terms that does.
 *
 * from     character at which the piece that was found begins
 * returns  a character of the text; `from` where nothing stands as written (accents, other forms)
 */
export function matchPlace(
  text: string,
  wish: { query: string; terms: readonly SearchTerm[]; from: number },
): number {
  const folded = text.toLowerCase();
  const whole = folded.indexOf(wish.query.trim().toLowerCase(), wish.from);
  if (whole !== -1) return whole;
  const byLength = wish.terms.toSorted((a, b) => lengthOf(b) - lengthOf(a));
  for (const { words } of byLength) {
    const place = placeOf(folded, words, wish.from);
    if (place !== -1) return place;
  }
  return wish.from;
}

function lengthOf({ words }: SearchTerm): number {
  return words.reduce((sum, word) => sum + word.length, 0);
}

function placeOf(folded: string, words: readonly string[], from: number): number {
  const expression = new RegExp(words.some(isUnspaced) ? words[0]! : phrase(words), 'gu');
  expression.lastIndex = from;
  return expression.exec(folded)?.index ?? -1;
}

/** At the border of a word, with whatever is between words. Words hold letters and digits only. */
function phrase(words: readonly string[]): string {
  return String.raw`(?<![\p{L}\p{N}])${words.join(String.raw`[^\p{L}\p{N}]+`)}`;
}

/** What a person or a model typed → search terms. Never throws, whatever the characters. */
import { isUnspaced, searchWords } from './tokens.ts';

/** More terms than this tell us nothing new and cost time. */
const maxTerms = 32;
const maxWordsOfPhrase = 64;
/** From this length on a word also finds words that begin with it ("deploy", "deployed"). */
const prefixCharacters = 4;

export interface SearchTerm {
  /** A tsquery that finds the term as written. */
  exact: string;
  /** A tsquery that also finds longer words, for when there are too few exact hits. */
  loose: string;
}

/**
 * Words and "quoted phrases"; a word that holds several (a path, a run of Chinese) is a phrase.
 *
 * returns  one term a word or phrase, repeats left out, at most 32; empty when nothing can be looked for
 */
export function parseQuery(query: string): readonly SearchTerm[] {
  const terms = new Map<string, SearchTerm>();
  for (const { text, quoted } of splitQuery(query)) {
    const term = toTerm(searchWords(text).slice(0, maxWordsOfPhrase), quoted);
    if (term !== null && !terms.has(term.exact)) terms.set(term.exact, term);
    if (terms.size === maxTerms) break;
  }
  return [...terms.values()];
}

function splitQuery(query: string): { text: string; quoted: boolean }[] {
  const found: { text: string; quoted: boolean }[] = [];
  // Straight, curly and CJK quotation marks; one that is never closed is no quotation.
  for (const match of query.matchAll(/["“”„«「]([^"“”„»」]+)["“”»」]|[^\s"“”„«»「」]+/gu)) {
    found.push(match[1] === undefined ? { text: match[0], quoted: false } : { text: match[1], quoted: true });
  }
  return found;
}

function toTerm(words: readonly string[], quoted: boolean): SearchTerm | null {
  const [last, before] = [words.at(-1), words.at(-2)];
  if (last === undefined) return null;
  if (!isLoneCharacter(last)) {
    const exact = words.map(quote).join(' <-> ');
    const loose =
      words.length === 1 && !quoted && last.length >= prefixCharacters ? `${quote(last)}:*` : exact;
    return { exact, loose };
  }
  // The index holds pairs. The last character of a longer run says nothing its pair did not; alone it begins a pair.
  const endsPair =
    before !== undefined && before.length > last.length && before.endsWith(last) && isUnspaced(before);
  const kept = endsPair
    ? words.slice(0, -1).map(quote)
    : [...words.slice(0, -1).map(quote), `${quote(last)}:*`];
  const term = kept.join(' <-> ');
  return { exact: term, loose: term };
}

function isLoneCharacter(word: string): boolean {
  return [...word].length === 1 && isUnspaced(word);
}

/** Words hold letters, digits and marks only, so that nothing needs to be escaped. */
function quote(word: string): string {
  return `'${word}'`;
}

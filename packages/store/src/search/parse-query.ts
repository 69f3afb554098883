/** What a person or a model typed → search terms. Never throws, whatever the characters. */
import { isFunctionWord, stemsOf } from './languages.ts';
import { isUnspaced, searchWords, stemLexeme } from './tokens.ts';

/** More terms than this tell us nothing new and cost time. */
const maxTerms = 32;
const maxWordsOfPhrase = 64;
/** From this length on a word also finds words that begin with it ("deploy", "deployment"). */
const prefixCharacters = 4;
/** A longer run without spaces is a sentence: hardly a text holds it as it is, so its pairs are looked for too. */
const longestPhraseOfPairs = 4;

export interface SearchTerm {
  /** The words as `searchWords` gives them, in order. */
  words: readonly string[];
  /** A tsquery that finds the term as written. */
  exact: string;
  /** A tsquery that also finds words of the same stem and longer ones; of a path or the like all parts in any order. */
  loose: string;
  /** It only holds sentences together: not worth looking for where there is another. */
  isFunctionWord: boolean;
}

/**
 * Words and "quoted phrases"; a word that holds several (a path, a run of Chinese) is a phrase.
 *
 * returns  one term a word or phrase, repeats left out, at most 32; empty when nothing can be looked for
 */
export function parseQuery(query: string): readonly SearchTerm[] {
  const terms = new Map<string, SearchTerm>();
  for (const { text, quoted } of splitQuery(query))
    for (const term of termsOf(searchWords(text).slice(0, maxWordsOfPhrase), quoted)) {
      if (!terms.has(term.exact)) terms.set(term.exact, term);
      if (terms.size === maxTerms) return [...terms.values()];
    }
  return [...terms.values()];
}

/** The terms a text is about; all of them where it is made of function words only. */
export function tellingTerms(terms: readonly SearchTerm[]): readonly SearchTerm[] {
  const telling = terms.filter((term) => !term.isFunctionWord);
  return telling.length === 0 ? terms : telling;
}

function splitQuery(query: string): { text: string; quoted: boolean }[] {
  const found: { text: string; quoted: boolean }[] = [];
  // Straight, curly and CJK quotation marks; one that is never closed is no quotation. An apostrophe ends a word ("Ada's").
  for (const match of query.matchAll(/["“”„«「]([^"“”„»」]+)["“”»」]|[^\s"“”„«»「」'’]+/gu)) {
    found.push(match[1] === undefined ? { text: match[0], quoted: false } : { text: match[1], quoted: true });
  }
  return found;
}

function termsOf(words: readonly string[], quoted: boolean): readonly SearchTerm[] {
  const term = toTerm(words, quoted);
  if (term === null) return [];
  const isSentence = !quoted && words.length > longestPhraseOfPairs && words.every(isUnspaced);
  if (!isSentence) return [term];
  const pairs = words.filter((word) => !isLoneCharacter(word));
  return [term, ...pairs.flatMap((pair) => toTerm([pair], false) ?? [])];
}

function toTerm(words: readonly string[], quoted: boolean): SearchTerm | null {
  const [last, before] = [words.at(-1), words.at(-2)];
  if (last === undefined) return null;
  const isCommon = !quoted && words.every(isFunctionWord);
  if (!isLoneCharacter(last)) {
    const exact = words.map(quote).join(' <-> ');
    const loose = quoted ? exact : looseOf(words);
    return { words, exact, loose, isFunctionWord: isCommon };
  }
  // The index holds pairs. The last character of a longer run says nothing its pair did not; alone it begins a pair.
  const endsPair =
    before !== undefined && before.length > last.length && before.endsWith(last) && isUnspaced(before);
  const kept = endsPair
    ? words.slice(0, -1).map(quote)
    : [...words.slice(0, -1).map(quote), `${quote(last)}:*`];
  const term = kept.join(' <-> ');
  return { words, exact: term, loose: term, isFunctionWord: isCommon };
}

function looseOf(words: readonly string[]): string {
  const [only] = words;
  if (words.length > 1 || only === undefined) return [...new Set(words)].map(quote).join(' & ');
  const stems = stemsOf(only);
  const forms = [
    only.length >= prefixCharacters && !isUnspaced(only) ? `${quote(only)}:*` : quote(only),
    ...stems.map((stem) => quote(stemLexeme(stem))),
    ...stems.filter((stem) => stem !== only).map(quote),
  ];
  return forms.join(' | ');
}

function isLoneCharacter(word: string): boolean {
  return [...word].length === 1 && isUnspaced(word);
}

/** Words hold letters, digits and marks only, so that nothing needs to be escaped. */
function quote(word: string): string {
  return `'${word}'`;
}

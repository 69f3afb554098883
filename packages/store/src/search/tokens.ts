/**
 * Text → search words, ours on both sides: the index and the query use the same function, so that the result does not
 * depend on the database's locale or parser.
 *
 *   "Siehe /srv/app-2/store.ts, 東京タワー" → siehe srv app 2 store ts 東京 京タ タワ ワー ー
 *
 * Words are runs of letters and digits, lower case, without accents. A path is its parts, found as a phrase. Scripts
 * without spaces become overlapping pairs and the last character alone, so that a phrase of pairs finds any part of a
 * run of two or more characters, and `character:*` finds one.
 */

import { datesIn, dayAt, type NamedDate } from './dates.ts';
import { stemmerOf } from './languages.ts';

/**
 * Pieces of the index. Postgres keeps 255 places of a word in a vector, and what stands behind them is found by no phrase: a
 * piece is so short that a listing which names one folder in every line has fewer of it.
 */
const pieceCharacters = 4_000;
/** A word or phrase that lies on the border of two pieces is whole in one of them. */
const overlapCharacters = 200;
/** Longer words are cut, here and in queries; a lexeme may have 2,046 bytes. */
const wordCharacters = 200;

const words = /[\p{L}\p{N}\p{M}]+/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/** The words of a text in order, repeats kept. */
export function searchWords(text: string): string[] {
  const found: string[] = [];
  for (const [run] of fold(text).matchAll(words)) addRun(found, run);
  return found;
}

/** Case, width and accents do not matter: "ＣＡＦÉ" and "cafe" are one word. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
}

function addRun(found: string[], run: string): void {
  let end = 0;
  for (const match of run.matchAll(unspaced)) {
    if (match.index > end) found.push(run.slice(end, match.index).slice(0, wordCharacters));
    addPairs(found, [...match[0]]);
    end = match.index + match[0].length;
  }
  if (end < run.length) found.push(run.slice(end).slice(0, wordCharacters));
}

function addPairs(found: string[], characters: readonly string[]): void {
  characters.forEach((character, index) => found.push(character + (characters[index + 1] ?? '')));
}

/** Whether a character belongs to a script whose runs are indexed as pairs. */
export function isUnspaced(character: string): boolean {
  return character.search(unspaced) === 0;
}

/** Cut a text for the index: pieces of at most 4,000 characters, each beginning 200 before the end of the last. */
export function searchPieces(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; start += pieceCharacters - overlapCharacters) {
    pieces.push(text.slice(start, start + pieceCharacters));
    if (start + pieceCharacters >= text.length) break;
  }
  return pieces;
}

/** Character of the text at which a piece begins. */
export function pieceStart(piece: number): number {
  return piece * (pieceCharacters - overlapCharacters);
}

/** Raise it with every change of what `vectorOf` writes: rows of older sessions are then indexed anew. */
export const searchVersion = 2;

/** The lexeme that every piece of a session carries: with it the GIN index finds one session's hits among all. */
export function sessionLexeme(sessionId: string): string {
  return `session:${sessionId}`;
}

/** The lexeme of a word's stem; `~` is part of no word. */
export function stemLexeme(stem: string): string {
  return `~${stem}`;
}

/** The lexeme of a day or month that is spoken of, or on which it was said. */
export function dateLexeme(date: NamedDate): string {
  return `day:${date}`;
}

/**
 * A tsvector literal of one piece: the session, the day it was said and dates it names, the words at their places, and the
 * stems of those that are not their own stem. Words hold letters and digits only, so that nothing needs to be escaped.
 */
export function vectorOf(sessionId: string, piece: string, said: Date): string {
  const found = searchWords(piece).map((word) => word.toWellFormed());
  const stem = stemmerOf(found);
  const placed = found.map((word, index) => `'${word}':${index + 1}`);
  // Each word once: stemming one costs as much as all else that is done with it.
  const stems = new Set([...new Set(found)].flatMap((word) => stem(word) ?? []));
  const dates = new Set([dayAt(said), ...datesIn(piece, said)]);
  const marks = [sessionLexeme(sessionId), ...[...dates].map(dateLexeme), ...[...stems].map(stemLexeme)];
  return [...marks.map((mark) => `'${mark}'`), ...placed].join(' ');
}

/** Words of a scope that are spelled much like one that nobody there ever wrote: a slip of the finger, a part of a name. */
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import type { SearchTerm } from './parse-query.ts';
import { sessionLexeme } from './tokens.ts';

/** The newest pieces, whose words are looked through. */
const maxPieces = 2_000;
const maxWordsOfTerm = 3;
const leastCharacters = 4;
/** Share of common trigrams (Dice) from which on two words are taken for each other. */
const leastLikeness = 0.5;

/** For each term of one word that has similar words in the scope: the term that finds these. */
export async function similarTerms(
  tx: Transaction,
  scope: readonly string[],
  missing: readonly SearchTerm[],
): Promise<ReadonlyMap<SearchTerm, SearchTerm>> {
  const single = missing.filter(({ words }) => words.length === 1 && words[0]!.length >= leastCharacters);
  if (single.length === 0) return new Map();
  const parts = [...new Set(single.flatMap(({ words }) => trigrams(words[0]!)))];
  const sessions = scope.map((id) => `'${sessionLexeme(id)}'`).join(' | ');
  const rows = await run<{ word: string }>(
    tx,
    sql`SELECT DISTINCT word FROM (
          SELECT tsv FROM message_search p
          WHERE p.session_id = ANY(${sql.param([...scope])}::text[]) AND p.tsv @@ ${sessions}::tsquery
          ORDER BY p.message_id DESC LIMIT ${maxPieces}::int) p, unnest(tsvector_to_array(p.tsv)) word
        WHERE word ~ '^[[:alnum:]]+$' AND word LIKE ANY(${sql.param(parts.map((part) => `%${part}%`))}::text[])`,
  );
  const words = rows.map(({ word }) => word);
  return new Map(single.flatMap((term) => replacement(term, words)));
}

function replacement(term: SearchTerm, words: readonly string[]): [SearchTerm, SearchTerm][] {
  const own = term.words[0]!;
  const alike = words
    .map((word) => ({ word, likeness: word.includes(own) ? 1 : likeness(own, word) }))
    .filter((one) => one.likeness >= leastLikeness)
    .sort((a, b) => b.likeness - a.likeness || a.word.length - b.word.length)
    .slice(0, maxWordsOfTerm)
    .map(({ word }) => word);
  if (alike.length === 0) return [];
  const query = alike.map((word) => `'${word}'`).join(' | ');
  return [[term, { ...term, words: alike.slice(0, 1), exact: query, loose: query }]];
}

/** Dice: twice the common trigrams over all; the word's ends count, as people seldom get the beginning wrong. */
function likeness(a: string, b: string): number {
  const [ofA, ofB] = [new Set(trigrams(`  ${a} `)), new Set(trigrams(`  ${b} `))];
  const common = [...ofA].filter((part) => ofB.has(part)).length;
  return (2 * common) / (ofA.size + ofB.size);
}

function trigrams(word: string): string[] {
  const characters = [...word];
  return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
}

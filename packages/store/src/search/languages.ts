/**
 * Stems, so that "painted" finds "painting". A text is stemmed by the language of its function words; a query is too short
 * to tell its language by, so it looks for the word's stem in each.
 */

import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as regularEnglish } from 'stemmer';
import { functionWords } from './function-words.ts';
import { irregularForms } from './irregular-forms.ts';

const english = (word: string): string => regularEnglish(irregularForms.get(word) ?? word);

const stemmers = { english, french, german, italian, portuguese, russian, spanish } as const;
type Language = keyof typeof stemmers;
const latin = (Object.keys(stemmers) as Language[]).filter((language) => language !== 'russian');

/** Stemmers expect the letters of their script; identifiers and numbers have no stem. */
const latinWord = /^[a-zßæøœ]{3,40}$/;
const cyrillicWord = /^[а-яё]{3,40}$/;

/** Word → the languages in which it is a function word. */
const languagesOf = Map.groupBy(
  (Object.keys(functionWords) as Language[]).flatMap((language) =>
    functionWords[language].split(' ').map((word) => ({ word, language })),
  ),
  ({ word }) => word,
);

/** Whether a word says nothing of what is spoken about, in any of the languages. Folded as `searchWords` gives it. */
export function isFunctionWord(word: string): boolean {
  return languagesOf.has(word);
}

/** Stem of words of one text, in the language most of its function words belong to; null where it is the word itself. */
export function stemmerOf(words: readonly string[]): (word: string) => string | null {
  const ofLatin = stemmers[guessLatin(words)];
  return (word) => {
    if (latinWord.test(word)) return otherThan(word, ofLatin(word));
    return cyrillicWord.test(word) ? otherThan(word, russian(word)) : null;
  };
}

/** Every stem under which a text may hold the word, the word itself among them where it is one. */
export function stemsOf(word: string): readonly string[] {
  if (cyrillicWord.test(word)) return [russian(word)];
  if (!latinWord.test(word)) return [];
  return [...new Set(latin.map((language) => stemmers[language](word)))];
}

function guessLatin(words: readonly string[]): Language {
  const counts = new Map<Language, number>();
  for (const word of words)
    for (const { language } of languagesOf.get(word) ?? [])
      counts.set(language, (counts.get(language) ?? 0) + 1);
  let best: Language = 'english';
  for (const language of latin) if ((counts.get(language) ?? 0) > (counts.get(best) ?? 0)) best = language;
  return best;
}

function otherThan(word: string, stem: string): string | null {
  return stem === word ? null : stem;
}

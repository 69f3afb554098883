import { speak, wordsOf, type Speaker } from '@palimpsest/core';
import type { EngineWords } from './engine-words.ts';
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { portuguese } from './portuguese.ts';
import { russian } from './russian.ts';
import { spanish } from './spanish.ts';

export type Say = Speaker<EngineWords>;

/** By the first part of a language tag. */
export const vocabularies: Readonly<Record<string, EngineWords>> = {
  en: english,
  de: german,
  es: spanish,
  fr: french,
  pt: portuguese,
  ru: russian,
};

/** For a reader of that language; English where it is not known or not one of ours. */
export function sayIn(language: string | undefined): Say {
  return speak(wordsOf(vocabularies, language) ?? english);
}

/** One text in all languages but English, by language: as a menu wants it. */
export function translationsOf(name: keyof EngineWords): Readonly<Record<string, string>> {
  const { en: _english, ...others } = vocabularies;
  return Object.fromEntries(Object.entries(others).map(([language, words]) => [language, words[name]]));
}

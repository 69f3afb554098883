import { wordsOf } from '@palimpsest/core';
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { portuguese } from './portuguese.ts';
import { russian } from './russian.ts';
import { spanish } from './spanish.ts';
import type { Words } from './words.ts';

/** By the first part of a language tag. */
export const languages: Readonly<Record<string, Words>> = {
  en: english,
  de: german,
  es: spanish,
  fr: french,
  pt: portuguese,
  ru: russian,
};

/** The words for a person; English where the language is not known or not one of ours. */
export function wordsFor({ language }: { language?: string }): Words {
  return wordsOf(languages, language) ?? english;
}

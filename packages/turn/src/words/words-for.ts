import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { portuguese } from './portuguese.ts';
import { russian } from './russian.ts';
import { spanish } from './spanish.ts';
import type { Words } from './words.ts';

/** By the first part of a language tag, as platforms tell it: `pt-BR` is `pt`. */
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
  const [first = ''] = (language ?? '').toLowerCase().split(/[-_]/);
  return Object.hasOwn(languages, first) ? languages[first]! : english;
}

/** The text with its `{name}`s filled in; one that is not given stays as it is. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

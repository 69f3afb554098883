import { fill, wordsFor } from './words-for.ts';
import type { Words } from './words.ts';

export type TextName = Exclude<keyof Words, 'menu'>;
type Noun = 'message' | 'conversation' | 'modelCall' | 'call' | 'answer' | 'tool';

/** Texts, numbers and times in the language of one reader. */
export interface Say {
  (text: TextName, values?: Readonly<Record<string, string | number>>): string;
  /** `2,000`. */
  number(value: number): string;
  /** `1 message`, `2,000 messages`. */
  counted(count: number, noun: Noun): string;
  /** How long ago or for how long: `12 seconds`, `1 hour`, `3 days`. */
  duration(ms: number): string;
}

/** In a chat's language; English where it is not known or not one of ours. */
export function sayIn(chat: { language?: string }): Say {
  const words = wordsFor(chat);
  const { language } = words;
  const number = (value: number): string => value.toLocaleString(language);
  return Object.assign((text: TextName, values = {}) => fill(words[text], values), {
    number,
    counted: (count: number, noun: Noun) => `${number(count)} ${formOf(words, count, noun)}`,
    duration: (ms: number) => durationIn(language, ms),
  });
}

/** The form of a noun that stands with a number; a language with fewer forms has the last one for all others. */
function formOf(words: Words, count: number, noun: Noun): string {
  const forms = words[`${noun}Forms`].split('|');
  const kinds = forms.length === 3 ? ['one', 'few', 'many'] : ['one', 'other'];
  const index = kinds.indexOf(new Intl.PluralRules(words.language).select(count));
  return forms[index === -1 ? forms.length - 1 : index]!;
}

const units = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
] as const;

function durationIn(language: string, ms: number): string {
  const { unit, ms: unitMs } = units.find((one) => ms >= one.ms) ?? units[3];
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.max(0, Math.floor(ms / unitMs)));
}

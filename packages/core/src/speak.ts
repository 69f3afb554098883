import { bytesOfMegabyte } from './media.ts';

/** Texts of one language by name, with the tag by which its numbers, times and plurals are written. */
export interface Vocabulary {
  language: string;
}

/** Names of the nouns: `message` for the key `messageForms`, whose forms stand one first, with bars between. */
type NounOf<Words> = keyof { [Key in keyof Words as Key extends `${infer Noun}Forms` ? Noun : never]: true } &
  string;
type TextOf<Words> = { [Key in keyof Words]: Words[Key] extends string ? Key : never }[keyof Words];

/** Texts, numbers and times in the language of one reader. */
export interface Speaker<Words> {
  (text: TextOf<Words>, values?: Readonly<Record<string, string | number>>): string;
  readonly language: string;
  /** `2,000`. */
  number(value: number): string;
  /** `1 message`, `2,000 messages`. */
  counted(count: number, noun: NounOf<Words>): string;
  /** How long ago or for how long: `12 seconds`, `1 hour`, `3 days`. */
  duration(ms: number): string;
  /** How long ago: `3 minutes ago`, `now`. */
  ago(ms: number): string;
  /** A size of a file: whole kilobytes, or megabytes with one digit: `20 MB`. */
  size(bytes: number): string;
}

export function speak<Words extends Vocabulary>(words: Words): Speaker<Words> {
  const { language } = words;
  const number = (value: number): string => value.toLocaleString(language);
  const textOf = (name: PropertyKey): string => String(words[name as keyof Words]);
  const say = (name: TextOf<Words>, values = {}): string => fill(textOf(name), values);
  return Object.assign(say, {
    language,
    number,
    counted: (count: number, noun: NounOf<Words>) =>
      `${number(count)} ${formOf(textOf(`${noun}Forms`), count, language)}`,
    duration: (ms: number) => durationIn(language, ms),
    ago: (ms: number) => agoIn(language, ms),
    size: (bytes: number) => sizeIn(language, bytes),
  });
}

/** By the first part of a language tag, as platforms tell it: `pt-BR` is `pt`; null where there are no words of it. */
export function wordsOf<Words>(
  vocabularies: Readonly<Record<string, Words>>,
  language: string | undefined,
): Words | null {
  const [first = ''] = (language ?? '').toLowerCase().split(/[-_]/);
  return Object.hasOwn(vocabularies, first) ? vocabularies[first]! : null;
}

/** The text with its `{name}`s filled in; one that is not given stays as it is. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The form of a noun that stands with a number; a language with fewer forms has the last one for all others. */
function formOf(formsWithBars: string, count: number, language: string): string {
  const forms = formsWithBars.split('|');
  const kinds = forms.length === 3 ? ['one', 'few', 'many'] : ['one', 'other'];
  const index = kinds.indexOf(new Intl.PluralRules(language).select(count));
  return forms[index === -1 ? forms.length - 1 : index]!;
}

const units = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
] as const;

function durationIn(language: string, ms: number): string {
  const { count, unit } = inUnits(ms);
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

function agoIn(language: string, ms: number): string {
  const { count, unit } = inUnits(ms);
  return new Intl.RelativeTimeFormat(language, { numeric: count === 0 ? 'auto' : 'always' }).format(
    -count,
    unit,
  );
}

function inUnits(ms: number) {
  const { unit, ms: unitMs } = units.find((one) => ms >= one.ms) ?? units[3];
  return { count: Math.max(0, Math.floor(ms / unitMs)), unit };
}

function sizeIn(language: string, bytes: number): string {
  const isSmall = bytes < 1_000_000;
  const unit = isSmall ? 'kilobyte' : 'megabyte';
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    maximumFractionDigits: isSmall ? 0 : 1,
  });
  return format.format(isSmall ? Math.max(1, Math.round(bytes / 1000)) : bytes / bytesOfMegabyte(bytes));
}

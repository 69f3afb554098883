import { fill, speak, type Speaker } from '@palimpsest/core';
import { wordsFor } from './words-for.ts';
import type { Words } from './words.ts';

export type TextName = Exclude<keyof Words, 'menu'>;

/** Texts, numbers, times and prices in the language of one reader. */
export interface Say extends Speaker<Words> {
  /** `$0.042`, three digits below a dollar; `under $0.001` for what is hardly anything. */
  dollars(amount: number): string;
  /** `$3`, `$0.3`: a price as it stands in a list. */
  listPrice(amount: number): string;
}

/** In a chat's language; English where it is not known or not one of ours. */
export function sayIn(chat: { language?: string }): Say {
  const words = wordsFor(chat);
  return Object.assign(speak(words), {
    dollars: (amount: number) => dollarsIn(words, amount),
    listPrice: (amount: number) => formatDollars(words, amount, { minimumFractionDigits: 0 }),
  });
}

function dollarsIn(words: Words, dollars: number): string {
  const digits = dollars < 1 ? 3 : 2;
  const format = (amount: number): string =>
    formatDollars(words, amount, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const isTiny = dollars > 0 && dollars < 0.001;
  return isTiny ? fill(words.underDollars, { amount: format(0.001) }) : format(dollars);
}

function formatDollars({ language }: Words, dollars: number, digits: Intl.NumberFormatOptions): string {
  const format = new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    ...digits,
  });
  return format.format(dollars);
}

import type { ModelPrice } from '@palimpsest/core';

import table from './models.json' with { type: 'json' };

/** What we know of a family of models. Tokens throughout. */
export interface ModelFamily {
  /** Start of the model's name without vendor, dots as dashes, lower case. */
  key: string;
  maker: string;
  windowTokens: number;
  maxOutputTokens: number;
  /** Smallest prefix that is cached; null: unknown or no marks of ours. */
  cacheMinimumTokens: number | null;
  price: ModelPrice | null;
}

/** US dollars a million tokens: input, output, cache read, cache write. */
type PriceLine = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

/** A row of models.json, in the order of its `columns`. */
type Line = readonly [
  maker: string,
  window: number,
  output: number,
  cacheMinimum: number | null,
  price: PriceLine | null,
  longAbove?: number,
  longPrice?: PriceLine,
];

/*
 * The table was written by hand from the vendors' pages and cross-checked in November 2026 against the catalogue of
 * @earendil-works/pi-ai 1.6.0 (generated 2026-11-20). Windows are those of the direct API. Where a vendor asks more for
 * every token of a long prompt (gpt-5.5 above 272K) the table holds both prices. A server that fills its cache by itself
 * and asks nothing for it has the input price as the price of a write. What the config says wins over this table.
 * The cache minimum of the 5.5 Claude models is not published; 1,024 is the family's usual value.
 */
const lines = table.families as unknown as Readonly<Record<string, Line>>;

export const families: readonly ModelFamily[] = Object.entries(lines).map(
  ([key, [maker, windowTokens, maxOutputTokens, cacheMinimumTokens, price, aboveTokens, longPrice]]) => ({
    key,
    maker,
    windowTokens,
    maxOutputTokens,
    cacheMinimumTokens,
    price:
      price === null
        ? null
        : {
            ...pricesOf(price),
            ...(aboveTokens !== undefined && longPrice
              ? { longPrompt: { aboveTokens, ...pricesOf(longPrice) } }
              : {}),
          },
  }),
);

function pricesOf([input, output, cacheRead, cacheWrite]: PriceLine): Omit<ModelPrice, 'longPrompt'> {
  return { input, output, cacheRead, cacheWrite };
}

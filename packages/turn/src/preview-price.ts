import { callDollars, noUsage, type ModelInfo, type ModelPrice } from '@palimpsest/core';
import type { Say } from './words/say.ts';

/** What a compaction costs in US dollars; null where the model's price is not known. */
export interface PreviewPrice {
  summaryDollars: number | null;
  /** Behind the summary nothing is cached: so many tokens are read at full price by the next request. */
  rereadTokens: number;
  rereadDollars: number | null;
}

interface PricedWork {
  summaryCalls: number;
  summaryInputTokens: number;
  summaryOutputTokens: number;
  /** Of the prompt after the compaction; the system prompt before them stays cached. */
  rereadTokens: number;
}

/** Price of the summary by the summary model, and of reading anew by the main one, written to the cache where it has one. */
export function previewPrice(
  work: PricedWork,
  {
    summary,
    main,
  }: { summary: ModelPrice | undefined; main: Pick<ModelInfo, 'caching' | 'pricePerMillion'> },
): PreviewPrice {
  const { rereadTokens } = work;
  const cacheWriteTokens = main.caching === null ? 0 : rereadTokens;
  const reread = { ...noUsage, promptTokens: rereadTokens, cacheWriteTokens };
  return {
    summaryDollars: summary ? summaryDollars(work, summary) : null,
    rereadTokens,
    rereadDollars: main.pricePerMillion ? callDollars(reread, main.pricePerMillion) : null,
  };
}

/** Calls of equal size, since long prompts may have a price of their own. */
function summaryDollars(work: PricedWork, price: ModelPrice): number {
  const { summaryCalls, summaryInputTokens, summaryOutputTokens } = work;
  if (summaryCalls === 0) return 0;
  const promptTokens = summaryInputTokens / summaryCalls;
  const outputTokens = summaryOutputTokens / summaryCalls;
  return summaryCalls * callDollars({ ...noUsage, promptTokens, outputTokens }, price);
}

/** `$0.42 for the summary, $0.05 for reading 12,000 tokens anew`, or `unknown`. */
export function priceWords(
  { summaryDollars: summary, rereadTokens, rereadDollars: reread }: PreviewPrice,
  say: Say,
): string {
  if (summary === null && reread === null) return say('unknownPrice');
  const inWords = (dollars: number | null): string =>
    dollars === null ? say('unknownPrice') : say.dollars(dollars);
  return say('priceParts', {
    summary: inWords(summary),
    anew: inWords(reread),
    tokens: say.number(rereadTokens),
  });
}

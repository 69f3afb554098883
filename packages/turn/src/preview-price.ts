import type { ModelInfo, ModelPrice } from '@palimpsest/core';

/** What a compaction costs in US dollars; null where the model's price is not known. */
export interface PreviewPrice {
  summaryDollars: number | null;
  /** Behind the summary nothing is cached: so many tokens are read at full price by the next request. */
  rereadTokens: number;
  rereadDollars: number | null;
}

interface PricedWork {
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
  const { summaryInputTokens, summaryOutputTokens, rereadTokens } = work;
  const reading = main.caching === null ? main.pricePerMillion?.input : main.pricePerMillion?.cacheWrite;
  return {
    summaryDollars: summary
      ? (summaryInputTokens * summary.input + summaryOutputTokens * summary.output) / million
      : null,
    rereadTokens,
    rereadDollars: reading === undefined ? null : (rereadTokens * reading) / million,
  };
}

const million = 1_000_000;

/** `$0.42 for the summary, $0.05 for reading 12,000 tokens anew`, or `unknown`. */
export function priceWords({ summaryDollars, rereadTokens, rereadDollars }: PreviewPrice): string {
  if (summaryDollars === null && rereadDollars === null) return 'unknown';
  const reread = `reading ${rereadTokens.toLocaleString('en')} tokens anew`;
  return `${dollars(summaryDollars)} for the summary, ${dollars(rereadDollars)} for ${reread}`;
}

function dollars(value: number | null): string {
  if (value === null) return 'unknown';
  if (value > 0 && value < 0.001) return 'under $0.001';
  return `$${value.toFixed(value < 1 ? 3 : 2)}`;
}

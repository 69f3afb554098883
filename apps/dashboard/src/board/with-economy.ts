import type { CompactionSpending, ModelPrice } from '@palimpsest/core';
import type { ContextReader } from '../context/context-reader.ts';

const million = 1_000_000;

/** US dollars of compactions that stand, and after how many model calls they have paid for themselves. */
export interface Economy {
  summaryDollars: number;
  /** What was kept stands behind a new beginning, so the cache takes it in anew. */
  rewriteDollars: number;
  /** Less to read, for each model call after one compaction of these, on average. */
  savedPerCallDollars: number;
  savedDollars: number;
  /** Null: they never pay for themselves. */
  breakEvenCalls: number | null;
  /** The same in turns, by the model calls that turns since took; null also where there was no turn since. */
  breakEvenTurns: number | null;
}

export type SpendingView = CompactionSpending & { economy: Economy | null };

/** `economy` null: the price of one of the models is not known. */
export function withEconomy(row: CompactionSpending, context: Pick<ContextReader, 'price'>): SpendingView {
  const main = context.price(row.mainModel);
  const summary = row.summaryModel === null ? null : context.price(row.summaryModel);
  const isPriced = main !== null && (row.summaryModel === null || summary !== null);
  return { ...row, economy: isPriced ? economyOf(row, main, summary) : null };
}

/** A token that was reclaimed would have been read from the cache at each later call: that is what it saves. */
export function economyOf(row: CompactionSpending, main: ModelPrice, summary: ModelPrice | null): Economy {
  const summaryDollars =
    (row.summaryInputTokens * (summary?.input ?? 0) + row.summaryOutputTokens * (summary?.output ?? 0)) /
    million;
  const rewriteDollars = (row.keptTokens * main.cacheWrite) / million;
  const savedOnce = (row.reclaimedTokens * main.cacheRead) / million;
  const breakEvenCalls = savedOnce > 0 ? (summaryDollars + rewriteDollars) / savedOnce : null;
  return {
    summaryDollars,
    rewriteDollars,
    savedPerCallDollars: row.compactions > 0 ? savedOnce / row.compactions : 0,
    savedDollars: (row.savedTokens * main.cacheRead) / million,
    breakEvenCalls,
    breakEvenTurns:
      breakEvenCalls === null || row.laterTurns === 0
        ? null
        : (breakEvenCalls * row.laterTurns) / row.laterCalls,
  };
}

import { shareOf } from './resolve-threshold.ts';

const summaryShare = 0.2;
const leastSummaryTokens = 2_000;
const mostSummaryTokens = 12_000;

/** Most tokens a summary is asked to have: min(5 % of the window, 12,000), at least 2,000. */
export function maxSummaryTokens(windowTokens: number): number {
  return Math.max(leastSummaryTokens, Math.min(shareOf(windowTokens, 0.05), mostSummaryTokens));
}

/**
 * Tokens a summary of `contentTokens` is asked to have: 20 % of the content, within 2,000 … maxSummaryTokens, and
 * never over 8 % of the window, where fixed sizes yield. Guidance in the prompt, not a wire limit.
 */
export function summaryBudget(input: { contentTokens: number; windowTokens: number }): number {
  const wanted = Math.max(leastSummaryTokens, shareOf(input.contentTokens, summaryShare));
  const most = Math.min(maxSummaryTokens(input.windowTokens), shareOf(input.windowTokens, 0.08));
  return Math.max(1, Math.min(wanted, most));
}

/** A text longer than this is shortened before it is stored: half over the largest budget, at most 8 % of the window. */
export function summaryCapTokens(windowTokens: number): number {
  return Math.max(1, Math.min(Math.floor(maxSummaryTokens(windowTokens) * 1.5), shareOf(windowTokens, 0.08)));
}

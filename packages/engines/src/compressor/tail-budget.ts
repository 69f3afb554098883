import { shareOf } from './resolve-threshold.ts';

/** Windows below this are small: fixed and generous sizes yield to them. */
const smallWindowTokens = 64_000;

/**
 * Tokens of the newest messages that stay word for word: trigger × target_ratio, at least 1.
 * Not clamped to a share of the window; in a small window at most 60 % of the trigger.
 */
export function legacyTailTokens(input: {
  triggerTokens: number;
  targetRatio: number;
  windowTokens: number;
}): number {
  const wanted = shareOf(input.triggerTokens, input.targetRatio);
  const largest = input.windowTokens < smallWindowTokens ? shareOf(input.triggerTokens, 0.6) : wanted;
  return Math.max(1, Math.min(wanted, largest));
}

/** The lean tail: 2.5 % of the window within these borders. */
const leanShare = 0.025;
const leastLeanTokens = 10_000;
const mostLeanTokens = 25_000;
/** The lower border yields where it is more than this share of the window. */
const largestLeanShare = 0.2;
/** A tail that the row floor made longer is let be up to here. */
const softTimes = 1.5;

/** Tokens of the newest messages that stay word for word in lean mode: clamp(2.5 % of the window, 10,000, 25,000). */
export function leanTailTokens(windowTokens: number): number {
  const share = shareOf(windowTokens, leanShare);
  const floor = Math.max(share, Math.min(leastLeanTokens, shareOf(windowTokens, largestLeanShare)));
  return Math.max(1, Math.min(floor, mostLeanTokens));
}

/** Over this the tool results of a lean tail give way: half more than the budget, at most 20 % of the window. */
export function leanCeilingTokens(windowTokens: number): number {
  const budget = leanTailTokens(windowTokens);
  return Math.max(budget, Math.min(Math.floor(budget * softTimes), shareOf(windowTokens, largestLeanShare)));
}

import { shareOf } from './resolve-threshold.ts';

/** Windows below this are small: fixed and generous sizes yield to them (decisions.md 2). */
const smallWindowTokens = 64_000;

/**
 * Tokens of the newest messages that stay word for word: trigger × target_ratio, at least 1.
 * Not clamped to a share of the window (decisions.md 5); in a small window at most 60 % of the trigger (decisions.md 2).
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

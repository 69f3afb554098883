import type { CompressionConfig, Session } from '@palimpsest/core';

export interface HygieneInput {
  /** Tokens of the assembled prompt, as `promptSize` gives them. */
  promptTokens: number;
  source: 'api' | 'estimate';
  windowTokens: number;
  /** Window less the output reserve. */
  hardLimitTokens: number;
  liveRows: number;
  config: Pick<CompressionConfig, 'enabled' | 'hygiene_hard_message_limit'>;
  session: Pick<Session, 'cooldownUntil' | 'holdRestUntil'>;
  now: Date;
}

export type HygieneDecision =
  | { kind: 'skip'; reason: 'disabled' | 'too_few_messages' | 'below_threshold' | 'cooldown' }
  /** `threshold` in tokens; `by` says which limit was passed; mode local: nobody is asked and nobody waits. */
  | { kind: 'compact'; threshold: number; by: 'tokens' | 'rows'; mode: 'full' | 'local' };

const windowShare = 0.85;
const warnShare = 0.95;
const leastMessages = 4;

/**
 * Tokens from which the safety net acts: int(0.85 × window), or the hard limit where that lies lower. No safety factor:
 * one would push it past the window. On purpose above the engine's trigger, else every turn would compact.
 */
export function hygieneThreshold(windowTokens: number, hardLimitTokens: number): number {
  // Binary fractions just under a whole number count as that number.
  return Math.min(Math.floor(windowTokens * windowShare + 1e-6), hardLimitTokens);
}

/** Tokens from which a log line or metric warns: 95 % of the window. Nothing is told to people or to the model. */
export function hygieneWarnTokens(windowTokens: number): number {
  return Math.floor(windowTokens * warnShare + 1e-6);
}

/**
 * The safety net before the agent sees a session. Tokens decide, whatever their source; the number of rows only where
 * the operator set `hygiene_hard_message_limit`. A rest of the summary model, or of the holds themselves, lasts until the
 * hard limit is reached: past it the turn could not go on, and the local summary is used at once. That the compressor
 * found nothing to take out, or did not help, is its own matter.
 */
export function decideHygiene(input: HygieneInput): HygieneDecision {
  if (!input.config.enabled) return { kind: 'skip', reason: 'disabled' };
  if (input.liveRows < leastMessages) return { kind: 'skip', reason: 'too_few_messages' };
  const threshold = hygieneThreshold(input.windowTokens, input.hardLimitTokens);
  const rowLimit = input.config.hygiene_hard_message_limit;
  const isOver = input.promptTokens >= threshold;
  const hasTooManyRows = rowLimit !== null && input.liveRows >= rowLimit;
  if (!isOver && !hasTooManyRows) return { kind: 'skip', reason: 'below_threshold' };
  const { cooldownUntil, holdRestUntil } = input.session;
  const isResting = [cooldownUntil, holdRestUntil].some((until) => until !== null && until > input.now);
  if (isResting && input.promptTokens < input.hardLimitTokens) return { kind: 'skip', reason: 'cooldown' };
  return { kind: 'compact', threshold, by: isOver ? 'tokens' : 'rows', mode: isResting ? 'local' : 'full' };
}

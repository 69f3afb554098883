import type { Reason, Session } from '@palimpsest/core';

/** Failures that take longer each time; the rest after one in a row, two, three and more. source: spec/compressor.md 8 */
const ladderMs = [60_000, 300_000, 900_000] as const;
const ladderReasons: readonly Reason[] = ['summary_timeout', 'summary_too_long'];

/**
 * The rest after a failed summary. Time-outs and answers that were cut off have ladders of their own: a failure of the
 * other kind begins at the first step.
 */
export function cooldownAfter(
  failed: { reason: Reason; cooldownMs: number },
  session: Pick<Session, 'failureStreak' | 'cooldownReason'>,
): number {
  if (!ladderReasons.includes(failed.reason)) return failed.cooldownMs;
  const before = session.cooldownReason === failed.reason ? session.failureStreak : 0;
  const step = ladderMs[Math.min(before, ladderMs.length - 1)]!;
  return Math.max(step, failed.cooldownMs);
}

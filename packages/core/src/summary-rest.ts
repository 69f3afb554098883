import type { Reason } from './ledger.ts';

/** Failures of one kind in a row rest longer each time, each kind on a ladder of its own. */
export type Ladder = 'timeout' | 'truncation';

/** The rest after one failure in a row, two, three and more, ms. */
export const ladderMs = [60_000, 300_000, 900_000] as const;

const ladders: Partial<Record<Reason, Ladder>> = {
  summary_timeout: 'timeout',
  summary_rate_limited: 'timeout',
  summary_too_long: 'truncation',
};

/** The ladder of a failed summary; null where the rest is the same every time. */
export function ladderOf(reason: Reason): Ladder | null {
  return ladders[reason] ?? null;
}

/** Wait before one compaction may try again after two in a row that did not help, ms. */
export const probeAfterMs = 300_000;

const longestHoldRestMs = 3_600_000;

/** Rest of the holds after a failure while a message was held: base, x3, x9, at most an hour, ms. */
export function holdRestAfter(baseMs: number, failuresBefore: number): number {
  return Math.min(longestHoldRestMs, baseMs * 3 ** Math.min(failuresBefore, 2));
}

import type { Session } from '@palimpsest/core';

/** After so many compactions in a row that did not help, automatic ones stop. */
const mostStrikes = 2;

/** The summariser failed lately: nobody asks it. */
export function isFailureRest({ cooldownUntil }: Pick<Session, 'cooldownUntil'>, now: Date): boolean {
  return isAhead(cooldownUntil, now);
}

/** There was nothing to take out at the trigger: no failure, so it never asks for a local summary. */
export function isStructuralRest({ structuralUntil }: Pick<Session, 'structuralUntil'>, now: Date): boolean {
  return isAhead(structuralUntil, now);
}

/** Compactions did not help, or the model failed and local ones stood in, twice in a row; until the one probe is due. */
export function isBreakerOpen(
  session: Pick<Session, 'ineffectiveStreak' | 'fallbackStreak' | 'probeAt'>,
  now: Date,
): boolean {
  const strikes = Math.max(session.ineffectiveStreak, session.fallbackStreak);
  return strikes >= mostStrikes && (session.probeAt === null || isAhead(session.probeAt, now));
}

function isAhead(until: Date | null, now: Date): boolean {
  return until !== null && until.getTime() > now.getTime();
}

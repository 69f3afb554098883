import type { Session } from '@palimpsest/core';

type Rested = Pick<Session, 'cooldownUntil' | 'cooldownReason'>;

/** A rest after an attempt that found nothing to take out: no failure, so it never asks for a local summary. */
const structuralReason = 'protected_only';

export function isResting({ cooldownUntil }: Rested, now: Date): boolean {
  return cooldownUntil !== null && cooldownUntil.getTime() > now.getTime();
}

export function isStructuralRest(session: Rested, now: Date): boolean {
  return isResting(session, now) && session.cooldownReason === structuralReason;
}

/** The summariser failed lately. */
export function isFailureRest(session: Rested, now: Date): boolean {
  return isResting(session, now) && session.cooldownReason !== structuralReason;
}

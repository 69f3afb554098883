import { holdRestAfter, type CompactionPlan, type NoPlan } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { hasSummaryFailed } from './ask-engine.ts';

/*
 * How long a message may be held for a summary, and what is remembered of a hold that brought none. Such a rest is the
 * holds' own: whoever works in the background goes on asking the model.
 */

/** After a hold that ran out the next message is held again only after this; flat, since the model did not fail. */
const turnHoldRestMs = 60_000;
/** How often a turn looks whether the plan that a job is making has come. */
const lookMs = 250;

/** Fires when a message has been held long enough. */
export function holdSignal({ deps }: ClaimedSession): AbortSignal {
  return AbortSignal.timeout(deps.config.compression.hygiene_max_turn_hold_seconds * 1000);
}

/** A rest is on: no message is held, no model is asked. */
export function mayNotHold({ session, deps }: ClaimedSession): boolean {
  const now = deps.clock.now().getTime();
  return [session.cooldownUntil, session.holdRestUntil].some(
    (until) => until !== null && until.getTime() > now,
  );
}

/** Wait for the plan that a job is making, no longer than `hold`; asking the model a second time would only cost more. */
export async function awaitPreparation(claimed: ClaimedSession, hold: AbortSignal): Promise<void> {
  const { deps, session } = claimed;
  const { compactions } = deps.store;
  let waited = false;
  while (!hold.aborted && (await compactions.preparationUnderWay(session.id))) {
    waited = true;
    await deps.clock.sleep(lookMs, hold);
  }
  // The job may have failed and left a rest.
  if (waited) await claimed.refreshRests();
}

/** The end of an attempt that held a message: a hold that ran out is named so, and both kinds of failure rest holds. */
export function afterHold(
  claimed: ClaimedSession,
  made: CompactionPlan | NoPlan,
  { hold, signal }: { hold: AbortSignal; signal: AbortSignal },
): CompactionPlan | NoPlan {
  if (made.kind === 'none' && made.reason === 'user_cancelled' && signal.reason === hold.reason) {
    const message = 'the summary took longer than a message may be held for it';
    return { ...made, reason: 'turn_hold', message, holdRestMs: turnHoldRestMs };
  }
  if (!hasSummaryFailed(made)) return made;
  const baseMs = claimed.deps.config.compression.hygiene_failure_cooldown_seconds * 1000;
  return { ...made, holdRestMs: holdRestAfter(baseMs, claimed.session.holdFailureStreak) };
}

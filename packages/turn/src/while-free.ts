import type { ClaimedSession } from './claimed-session.ts';
import { openClaimed } from './open-claimed.ts';
import type { TurnDeps } from './deps.ts';

/**
 * Do something short to a session that nobody holds: claim → work → release, with a new wake-up when something waits.
 * Does nothing when somebody holds it.
 */
export async function whileFree(
  deps: TurnDeps,
  sessionId: string,
  work: (claimed: ClaimedSession) => Promise<void>,
): Promise<void> {
  const { turns } = deps.store;
  const claim = await turns.claim(sessionId, deps.owner, deps.config.worker.lease_seconds * 1000);
  if (claim.kind !== 'claimed') return;
  let { lease } = claim;
  try {
    const claimed = await openClaimed(deps, claim);
    try {
      await work(claimed);
    } finally {
      lease = claimed.lease;
    }
  } finally {
    if (await turns.release(lease)) await deps.queue.wake(lease.sessionId);
  }
}

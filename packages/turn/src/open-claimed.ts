import type { Lease, Session } from '@palimpsest/core';
import { buildEngine } from './build-engine.ts';
import { ClaimedSession } from './claimed-session.ts';
import type { TurnDeps } from './deps.ts';
import { forgetOtherModel } from './forget-other-model.ts';
import { onBill } from './summary-bill.ts';

/** Build what a claim needs from stored state. The rows are not read yet: `view.reload()` does, when there is work. */
export async function openClaimed(
  deps: TurnDeps,
  claim: { lease: Lease; session: Session; engineState?: unknown },
): Promise<ClaimedSession> {
  const { lease, session } = claim;
  const own = deps.modelsFor ? { ...deps, ...deps.modelsFor(session) } : deps;
  const engine = await buildEngine(own, session, claim.engineState);
  engine.onSessionStart(session);
  const tools = await own.toolsFor(session);
  const claimed: ClaimedSession = new ClaimedSession(
    withBill(own, () => claimed.session.id),
    lease,
    { session, engine, tools },
  );
  forgetOtherModel(claimed);
  return claimed;
}

/** Summaries cost the session that they are written for; after a rotation that is the child. */
function withBill(deps: TurnDeps, sessionId: () => string): TurnDeps {
  const { summariser, mainSummariser, store, logger } = deps;
  const bill = { sessionId, usage: store.usage, logger };
  return {
    ...deps,
    summariser: onBill(summariser, bill),
    mainSummariser: mainSummariser && onBill(mainSummariser, bill),
  };
}

/** The session as it is now. Epoch 0 is never a holder's: this view can read, and every write with it would be refused. */
export async function openReader(deps: TurnDeps, session: Session): Promise<ClaimedSession> {
  const reader = await openClaimed(deps, {
    lease: { sessionId: session.id, epoch: 0, owner: deps.owner },
    session,
  });
  await reader.view.reload();
  return reader;
}

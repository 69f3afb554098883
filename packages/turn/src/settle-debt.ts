import type { TurnDeps } from './deps.ts';
import { makePlan } from './make-plan.ts';
import { applyPrepared } from './make-room.ts';
import { openReader } from './open-claimed.ts';
import { restsAfterUndo } from './rest-after-undo.ts';
import { whileFree } from './while-free.ts';

/** How long a debt waits while somebody's undo holds automatic compaction back. */
const afterUndoMs = 600_000;

/**
 * Maintenance job for work that an engine put off until after the reply. No lease is held while a model works; the plan is
 * applied when the session is free, else by its next turn.
 */
export async function settleDebt(deps: TurnDeps, sessionId: string, signal: AbortSignal): Promise<void> {
  const session = await deps.store.turns.session(sessionId);
  if (!session) return;
  const reader = await openReader(deps, session);
  if (restsAfterUndo(reader.view, reader.state())) {
    await deps.store.lcm?.restDebt(sessionId, afterUndoMs);
    return;
  }
  if (!(await makePlan(reader, { trigger: 'prepared', signal }))) return;
  await whileFree(deps, sessionId, async (claimed) => {
    await claimed.view.reload();
    await applyPrepared(claimed, { turn: null, signal }, { layer: 'background' });
  });
}

import { openReader } from './open-claimed.ts';
import type { TurnDeps } from './deps.ts';
import { makePlan } from './make-plan.ts';
import { applyPrepared } from './make-room.ts';
import { isHeldByProvider } from './provider-compaction.ts';
import { restsAfterUndo } from './rest-after-undo.ts';
import { whileFree } from './while-free.ts';

/**
 * Maintenance job: write the summary of a session ahead of time. No lease is held while the model works. If the trigger
 * has been passed and nobody holds the session, the plan is applied.
 */
export async function prepareCompaction(
  deps: TurnDeps,
  sessionId: string,
  signal: AbortSignal,
): Promise<void> {
  const session = await deps.store.turns.session(sessionId);
  if (!session) return;
  const reader = await openReader(deps, session);
  if (isHeldByProvider(reader) || restsAfterUndo(reader.view, reader.state())) return;
  if (!(await makePlan(reader, { trigger: 'prepared', signal }))) return;
  await whileFree(deps, sessionId, async (claimed) => {
    await claimed.view.reload();
    const state = claimed.state();
    if (claimed.engine.shouldCompress(state).kind === 'now' && !restsAfterUndo(claimed.view, state))
      await applyPrepared(claimed, { turn: null, signal }, { layer: 'background' });
  });
}

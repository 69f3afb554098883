import type { CompactionPlan } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { compactSession } from './compact-session.ts';

/**
 * Bring a session to the engine it is to run: the one its person chose, else the configured one. The old engine leaves a
 * transcript that any engine can read, the new one takes it over; each change is a compaction with a ledger row. A crash in
 * between is met by the next turn: an engine that has left has nothing left to leave.
 */
export async function followEngine(claimed: ClaimedSession, signal: AbortSignal): Promise<void> {
  const { deps, session } = claimed;
  const wanted = session.wantedEngine ?? deps.config.context.engine;
  if (wanted === session.engine || deps.findEngine(wanted).factory.name !== wanted) return;
  if (!(await applySwitch(claimed, await claimed.engine.leave(claimed.view), signal))) return;
  claimed.engine.onSessionEnd(claimed.session);
  // Another engine's text stands in the system prompt, and its prompt has another size.
  claimed.change({ engine: wanted, lastPromptTokens: 0, lastOutputTokens: 0, lastPricedSeq: 0 });
  claimed.change({ systemPrompt: null });
  await deps.store.turns.patchSession(claimed.lease, claimed.takePatch());
  await claimed.rebuildEngine();
  await applySwitch(claimed, await claimed.engine.enter(claimed.view), signal);
  deps.logger.info({ sessionId: session.id, from: session.engine, to: wanted }, 'context engine switched');
}

/** False: the plan could not be applied, and the session stays with its engine. */
async function applySwitch(
  claimed: ClaimedSession,
  plan: CompactionPlan | null,
  signal: AbortSignal,
): Promise<boolean> {
  if (!plan) return true;
  const done = await compactSession(claimed, {
    plan,
    layer: 'manual',
    trigger: 'engine_switch',
    mode: 'full',
    force: true,
    signal,
  });
  return done.applied !== null;
}

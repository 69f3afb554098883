import type { CompressRequest, MaintenanceTask } from '@palimpsest/core';
import { openClaimed, type ClaimedSession } from './claimed-session.ts';
import { compactionConfigHash } from './config-hash.ts';
import type { TurnDeps } from './deps.ts';
import { ledgerHead } from './ledger-head.ts';
import { applyPrepared } from './make-room.ts';
import { restsAfterUndo } from './rest-after-undo.ts';

/**
 * Maintenance job: write the summary of a session ahead of time. No lease is held while the model works; the plan is
 * void if one of its rows changes meanwhile. If the trigger has been passed and nobody holds the session, it is applied.
 */
export async function prepareCompaction(
  deps: TurnDeps,
  task: MaintenanceTask,
  signal: AbortSignal,
): Promise<void> {
  const { compactions, turns } = deps.store;
  const session = await turns.session(task.sessionId);
  if (!session) return;
  const markMs = deps.config.compression.hygiene_total_ceiling_seconds * 1000;
  if (!(await compactions.markPreparing(session.id, markMs))) return;
  try {
    // Epoch 0 is never a holder's: this view can read, and every write with it would be refused.
    const reader = await openClaimed(deps, { sessionId: session.id, epoch: 0, owner: deps.owner }, session);
    if (await planIsReady(deps, reader)) return;
    await reader.view.reload();
    if (restsAfterUndo(reader.view, reader.state())) return;
    await makePlan(deps, reader, signal);
  } finally {
    await compactions.endPreparing(session.id);
  }
  await applyIfFree(deps, session.id, signal);
}

async function planIsReady(deps: TurnDeps, reader: ClaimedSession): Promise<boolean> {
  const found = await deps.store.compactions.findPrepared(
    reader.session.id,
    reader.engine.name,
    compactionConfigHash(deps),
  );
  return found !== null;
}

async function makePlan(deps: TurnDeps, reader: ClaimedSession, signal: AbortSignal): Promise<void> {
  const { compactions } = deps.store;
  const state = reader.state();
  const request: CompressRequest = {
    layer: 'background',
    trigger: 'prepared',
    mode: 'full',
    force: false,
    budget: state.budget,
    promptTokens: state.promptTokens,
    promptTokensSource: state.source,
  };
  const plan = await reader.engine.compress(reader.view, request, {
    summariser: deps.summariser,
    clock: deps.clock,
    signal,
  });
  if (plan.kind === 'plan') {
    const ttlMs = deps.config.compression.prepared_ttl_seconds * 1000;
    await compactions.savePrepared(reader.session.id, {
      plan,
      engine: reader.engine.name,
      configHash: compactionConfigHash(deps),
      ttlMs,
    });
    return;
  }
  const id = await compactions.open(ledgerHead(reader, request));
  await compactions.closeWithout(id, plan, null);
  deps.meter.count('gateway_compaction_attempts_total', {
    layer: 'background',
    trigger: 'prepared',
    outcome: plan.outcome,
    reason: plan.reason,
  });
}

async function applyIfFree(deps: TurnDeps, sessionId: string, signal: AbortSignal): Promise<void> {
  const claim = await deps.store.turns.claim(sessionId, deps.owner, deps.config.worker.lease_seconds * 1000);
  if (claim.kind !== 'claimed') return;
  try {
    const claimed = await openClaimed(deps, claim.lease, claim.session);
    await claimed.view.reload();
    const state = claimed.state();
    if (claimed.engine.shouldCompress(state).kind === 'now' && !restsAfterUndo(claimed.view, state))
      await applyPrepared(claimed, { turn: null, signal }, 'background');
  } finally {
    if (await deps.store.turns.release(claim.lease)) await deps.queue.wake(sessionId);
  }
}

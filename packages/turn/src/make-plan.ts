import type { CompressRequest, NoPlan } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { compactionConfigHash } from './config-hash.ts';
import { ledgerHead } from './ledger-head.ts';

export interface PlanWish {
  trigger: 'prepared' | 'idle';
  signal: AbortSignal;
}

/**
 * Have a usable plan of the session stored, made now if there is none; false when another job makes one or nothing came
 * of it. No lease is held while the model works; the plan is void if one of its rows changes meanwhile.
 */
export async function makePlan(reader: ClaimedSession, wish: PlanWish): Promise<boolean> {
  const { deps, session } = reader;
  const { compactions } = deps.store;
  const markMs = deps.config.compression.hygiene_total_ceiling_seconds * 1000;
  if (!(await compactions.markPreparing(session.id, markMs))) return false;
  try {
    return (await isPlanReady(reader)) || (await writePlan(reader, wish));
  } finally {
    await compactions.endPreparing(session.id);
  }
}

async function isPlanReady({ deps, session, engine }: ClaimedSession): Promise<boolean> {
  const found = await deps.store.compactions.findPrepared(
    session.id,
    engine.name,
    compactionConfigHash(deps),
  );
  return found !== null;
}

async function writePlan(reader: ClaimedSession, { trigger, signal }: PlanWish): Promise<boolean> {
  const { deps, engine, view, session } = reader;
  const state = reader.state();
  const request: CompressRequest = {
    layer: 'background',
    trigger,
    mode: 'full',
    force: false,
    budget: state.budget,
    promptTokens: state.promptTokens,
    promptTokensSource: state.source,
  };
  const { summariser, clock } = deps;
  const plan = await engine.compress(view, request, { summariser, clock, signal });
  if (plan.kind === 'none') {
    await noteDeclined(reader, request, plan);
    return false;
  }
  const ttlMs = deps.config.compression.prepared_ttl_seconds * 1000;
  const configHash = compactionConfigHash(deps);
  await deps.store.compactions.savePrepared(session.id, { plan, engine: engine.name, configHash, ttlMs });
  return true;
}

async function noteDeclined(
  reader: ClaimedSession,
  request: CompressRequest,
  declined: NoPlan,
): Promise<void> {
  const { compactions } = reader.deps.store;
  const { layer, trigger } = request;
  const id = await compactions.open(ledgerHead(reader, request));
  // Below the trigger there is often nothing to take out; that is no reason to rest once the trigger is reached.
  const isEarly = trigger === 'idle' && declined.outcome === 'noop';
  await compactions.closeWithout(id, isEarly ? { ...declined, cooldownMs: undefined } : declined, null);
  const { outcome, reason } = declined;
  reader.deps.meter.count('gateway_compaction_attempts_total', { layer, trigger, outcome, reason });
}

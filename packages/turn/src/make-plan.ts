import type { CompactionPlan, NoPlan } from '@palimpsest/core';
import { askEngine, hasSummaryFailed, type EngineWish } from './ask-engine.ts';
import type { ClaimedSession } from './claimed-session.ts';
import { compactionConfigHash } from './config-hash.ts';
import { countAttempt, noteAttempt } from './declined.ts';
import { findPlan } from './prepared-plan.ts';

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
    return (await findPlan(reader)) !== null || (await writePlan(reader, wish));
  } finally {
    await compactions.endPreparing(session.id);
  }
}

async function writePlan(reader: ClaimedSession, { trigger, signal }: PlanWish): Promise<boolean> {
  const { deps, engine, session } = reader;
  const wish: EngineWish = { layer: 'background', trigger, mode: 'full', force: false };
  const plan = keepWorthwhile(reader, await askEngine(reader, wish, signal));
  if (plan.kind === 'none') {
    await noteUnplanned(reader, wish, plan);
    return false;
  }
  const ttlMs = deps.config.compression.prepared_ttl_seconds * 1000;
  const configHash = compactionConfigHash(deps);
  await deps.store.compactions.savePrepared(session.id, {
    plan,
    engine: engine.name,
    configHash,
    ttlMs,
    revision: session.revision,
  });
  return true;
}

/** Below the trigger nobody needs a local summary yet: the model is asked again after its rest. */
function keepWorthwhile(reader: ClaimedSession, made: CompactionPlan | NoPlan): CompactionPlan | NoPlan {
  const { budget, promptTokens } = reader.state();
  const isEarly = promptTokens < reader.engine.getStatus(budget).triggerTokens;
  if (made.kind === 'none' || !isEarly || !hasSummaryFailed(made)) return made;
  const { reason, summaryModel, cooldownMs } = made;
  const { summaryCalls } = made.figures;
  const message = 'the summary failed while there is still room; it is tried again after a rest';
  return { kind: 'none', outcome: 'failed', reason, summaryModel, summaryCalls, cooldownMs, message };
}

/** A look ahead that finds nothing happens at every turn below the trigger; it is counted and no more. */
async function noteUnplanned(reader: ClaimedSession, wish: EngineWish, ended: NoPlan): Promise<void> {
  const isWorthARow = ended.outcome !== 'noop' || ended.cooldownMs !== undefined || wish.trigger === 'idle';
  if (isWorthARow) await noteAttempt(reader, wish, ended);
  countAttempt(reader, wish, ended);
}

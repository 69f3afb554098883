import { decideHygiene, condensedText, localSummaryText } from '@palimpsest/hygiene';
import {
  never,
  type CompactionPlan,
  type CompressDecision,
  type ModelFailure,
  type NewReply,
  type Turn,
} from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { compactSession, type CompactionWish } from './compact-session.ts';
import { compactionConfigHash } from './config-hash.ts';
import { restsAfterUndo } from './rest-after-undo.ts';
import { notice } from './texts.ts';

/*
 * When the prompt needs room and who waits for it: the table "Compaction: when, and who waits" of architecture.md.
 *
 *   < background_at × trigger ─ nothing
 *   … < trigger ─────────────── a maintenance job prepares a plan
 *   … >= trigger ────────────── prepared plan applied; none: prune once, prepare with priority, go on
 *   … >= 85 % before the agent  prepared plan applied; none: compress now, held at most 10 s, else the local summary
 *   … >= hard limit, or refused the same, and the turn cannot go on without it
 */

export interface RoomWish {
  turn: Turn | null;
  signal: AbortSignal;
}

/** The safety net before the agent sees the session. */
export async function hygieneBeforeAgent(claimed: ClaimedSession, wish: RoomWish): Promise<void> {
  const state = claimed.state();
  const { budget } = state;
  const decision = decideHygiene({
    promptTokens: state.promptTokens,
    source: state.source,
    windowTokens: budget.windowTokens,
    hardLimitTokens: budget.windowTokens - budget.outputReserveTokens,
    liveRows: state.liveRows,
    config: claimed.deps.config.compression,
    session: claimed.session,
    now: state.now,
  });
  claimed.deps.meter.count('gateway_hygiene_decisions_total', {
    decision: decision.kind === 'skip' ? decision.reason : 'compact',
  });
  const isWished =
    decision.kind === 'compact' && (decision.by === 'tokens' || !restsAfterUndo(claimed.view, state));
  if (isWished) await compactNow(claimed, wish, { layer: 'hygiene', trigger: 'hygiene' });
}

/** Before each request of the agent. */
export async function roomForRequest(claimed: ClaimedSession, wish: RoomWish): Promise<void> {
  const state = claimed.state();
  const decision: CompressDecision = claimed.engine.shouldCompress(state);
  const isForced = decision.kind === 'now' && decision.reason === 'hard_limit';
  if (!isForced && restsAfterUndo(claimed.view, state)) return;
  switch (decision.kind) {
    case 'no':
      return;
    case 'prepare':
      return prepareLater(claimed, false);
    case 'now':
      if (decision.reason === 'hard_limit')
        return void (await compactNow(claimed, wish, { layer: 'agent', trigger: 'preflight' }));
      return atTrigger(claimed, wish);
    default:
      return never(decision);
  }
}

/** The provider refused the prompt: a limit it named wins over the table; true when the prompt got smaller. */
export async function roomAfterRefusal(
  claimed: ClaimedSession,
  wish: RoomWish,
  failure: ModelFailure,
): Promise<boolean> {
  if (failure.reportedWindowTokens && failure.reportedWindowTokens < claimed.windowTokens) {
    claimed.windowTokens = failure.reportedWindowTokens;
  }
  // Our count was too low: what the provider counted, else a tenth more than the window, is the truth to shrink from.
  const counted = failure.reportedPromptTokens ?? Math.ceil(claimed.windowTokens * 1.1);
  const estimated = claimed.state().promptTokens;
  if (counted > estimated)
    claimed.change({
      estimateRatio: Math.min(2, claimed.session.estimateRatio * (counted / estimated)),
      lastPromptTokens: 0,
    });
  const before = claimed.state().promptTokens;
  claimed.deps.meter.count('gateway_context_overflow_errors_total', {
    model: claimed.deps.model.info.name,
    recovered: 'pending',
  });
  await compactNow(claimed, wish, { layer: 'overflow', trigger: 'emergency' });
  return claimed.state().promptTokens < before * 0.95;
}

async function atTrigger(claimed: ClaimedSession, wish: RoomWish): Promise<void> {
  if (!claimed.deps.config.compression.background) {
    await compactSession(claimed, {
      layer: 'agent',
      trigger: 'threshold',
      mode: 'full',
      force: false,
      signal: wish.signal,
    });
    return;
  }
  if (await applyPrepared(claimed, wish, { layer: 'agent' })) return;
  if (!claimed.pruned && !(await claimed.deps.store.compactions.preparationUnderWay(claimed.session.id))) {
    claimed.pruned = true;
    await compactSession(claimed, {
      layer: 'agent',
      trigger: 'threshold',
      mode: 'prune',
      force: false,
      signal: wish.signal,
    });
  }
  await prepareLater(claimed, true);
}

async function prepareLater(claimed: ClaimedSession, urgent: boolean): Promise<void> {
  const { deps, session, engine } = claimed;
  if (!deps.config.compression.background) return;
  const prepared = await deps.store.compactions.findPrepared(
    session.id,
    engine.name,
    compactionConfigHash(deps),
  );
  if (!prepared) await deps.queue.maintain({ kind: 'prepare', sessionId: session.id, urgent });
}

/** Apply a plan made ahead, if one is there and its rows are unchanged. */
export async function applyPrepared(
  claimed: ClaimedSession,
  wish: RoomWish,
  { layer, trigger = 'prepared' }: Pick<CompactionWish, 'layer'> & Partial<Pick<CompactionWish, 'trigger'>>,
): Promise<boolean> {
  const { deps, session, engine } = claimed;
  const prepared = await deps.store.compactions.findPrepared(
    session.id,
    engine.name,
    compactionConfigHash(deps),
  );
  if (!prepared) return false;
  const done = await compactSession(claimed, {
    plan: prepared.plan,
    layer,
    trigger,
    mode: 'full',
    force: false,
    signal: wish.signal,
    replies: routineNotice(claimed, wish),
  });
  await deps.store.compactions.dropPrepared(session.id);
  return done.applied !== null;
}

/** Room is needed before the turn can go on: prepared plan, else a held summary, else the local one. */
async function compactNow(
  claimed: ClaimedSession,
  wish: RoomWish,
  where: Pick<CompactionWish, 'layer' | 'trigger'>,
): Promise<void> {
  const threshold = claimed.state().promptTokens;
  if (
    (await applyPrepared(claimed, wish, { layer: where.layer })) &&
    claimed.state().promptTokens < threshold &&
    !stillTooBig(claimed)
  )
    return;
  const hold = AbortSignal.timeout(claimed.deps.config.compression.hygiene_max_turn_hold_seconds * 1000);
  const signal = AbortSignal.any([wish.signal, hold]);
  const force = where.layer === 'overflow';
  const full = await compactSession(claimed, {
    ...where,
    mode: 'full',
    force,
    signal,
    replies: waitedNotice(claimed, wish),
  });
  if (wish.signal.aborted || (full.applied && !stillTooBig(claimed))) return;
  await compactSession(claimed, {
    ...where,
    mode: 'local',
    force: true,
    signal: wish.signal,
    replies: waitedNotice(claimed, wish),
  });
}

function stillTooBig(claimed: ClaimedSession): boolean {
  const { promptTokens, budget } = claimed.state();
  return promptTokens >= budget.windowTokens - budget.outputReserveTokens;
}

/** The person waited, so the person is told, once a claim. */
export function waitedNotice(claimed: ClaimedSession, wish: RoomWish): CompactionWish['replies'] {
  return (plan, compactionId) => noticeReply(claimed, wish, { plan, compactionId });
}

function routineNotice(claimed: ClaimedSession, wish: RoomWish): CompactionWish['replies'] {
  if (!claimed.deps.config.compression.progress_notices) return undefined;
  return waitedNotice(claimed, wish);
}

function noticeReply(
  claimed: ClaimedSession,
  wish: RoomWish,
  made: { plan: CompactionPlan; compactionId: number },
): NewReply[] {
  if (!wish.turn || claimed.told) return [];
  claimed.told = true;
  const text = made.plan.outcome === 'deterministic' ? localSummaryText : condensedText;
  return [
    {
      key: `compaction-${made.compactionId}`,
      chat: wish.turn.chat,
      kind: 'notice',
      text: notice(text),
      turnId: wish.turn.id,
    },
  ];
}

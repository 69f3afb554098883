import { decideHygiene } from '@palimpsest/hygiene';
import {
  never,
  type CompactionPlan,
  type CompressDecision,
  type CompressionConfig,
  type ModelFailure,
  type NewReply,
  type Reason,
  type Turn,
} from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { compactSession, type CompactionDone, type CompactionWish } from './compact-session.ts';
import { countAttempt, noteDeclined } from './declined.ts';
import { awaitPreparation, holdSignal, mayNotHold } from './hold-turn.ts';
import { findPlan } from './prepared-plan.ts';
import { compactAtProvider, isHeldByProvider } from './provider-compaction.ts';
import { restsAfterUndo } from './rest-after-undo.ts';
import { isNews, rememberTold, tellTrouble } from './tell-trouble.ts';
import { tellingOfWait } from './tell-of-wait.ts';
import { noticeIn } from './texts.ts';

/*
 * When the prompt needs room and who waits for it, by the size of the prompt.
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
  if (isHeldByProvider(claimed)) return;
  const state = claimed.state();
  const { budget } = state;
  const decision = decideHygiene({
    promptTokens: state.promptTokens,
    source: state.source,
    windowTokens: budget.windowTokens,
    hardLimitTokens: budget.windowTokens - budget.outputReserveTokens,
    liveRows: state.liveRows,
    config: sectionOf(claimed) ?? { enabled: true, hygiene_hard_message_limit: null },
    session: claimed.session,
    now: state.now,
  });
  claimed.deps.meter.count('gateway_hygiene_decisions_total', {
    decision: decision.kind === 'skip' ? decision.reason : 'compact',
  });
  if (decision.kind === 'skip') return;
  if (decision.by === 'rows' && restsAfterUndo(claimed.view, state)) return;
  if (!stillTooBig(claimed) && (await isTooOften(claimed, hygiene))) return;
  await compactNow(claimed, wish, { ...hygiene, mode: decision.mode });
  await tellTrouble(claimed, wish.turn);
}

/** null: the model-guided engine has rules of its own for all of this, and the section drives nothing there. */
function sectionOf({ deps, engine }: ClaimedSession): CompressionConfig | null {
  return engine.name === 'dcp' ? null : deps.config.compression;
}

/** Before each request of the agent. */
export async function roomForRequest(claimed: ClaimedSession, wish: RoomWish): Promise<void> {
  if (isHeldByProvider(claimed)) return;
  const state = claimed.state();
  const decision: CompressDecision = claimed.engine.shouldCompress(state);
  const isForced = decision.kind === 'now' && decision.reason === 'hard_limit';
  if (!isForced && restsAfterUndo(claimed.view, state)) return;
  switch (decision.kind) {
    case 'no':
      if (declinedReasons.has(decision.reason)) await noteDeclined(claimed, decision.reason, atThreshold);
      if (decision.reason === 'too_few_messages')
        countAttempt(claimed, atThreshold, { outcome: 'skipped', reason: 'too_few_messages' });
      break;
    case 'prepare':
      if (!(await isTooOften(claimed, null))) await prepareLater(claimed, false);
      break;
    case 'now':
      if (decision.reason === 'hard_limit') {
        const mode = mayNotHold(claimed) ? 'local' : 'full';
        await compactNow(claimed, wish, { layer: 'agent', trigger: 'preflight', mode });
      } else if (!(await isTooOften(claimed, atThreshold))) await atTrigger(claimed, wish);
      break;
    default:
      never(decision);
  }
  await tellTrouble(claimed, wish.turn);
}

/** Reasons for which an engine declines although the trigger was passed. */
const declinedReasons: ReadonlySet<Reason> = new Set(['cooldown', 'breaker_open', 'spend_limit']);

/**
 * The session was condensed by itself as often as an hour may see (one session was
 * seen with 108). Holds below the hard limit only; `where` null: nothing was passed, so nothing is noted.
 */
async function isTooOften(claimed: ClaimedSession, where: Where | null): Promise<boolean> {
  const { session, deps } = claimed;
  const most = sectionOf(claimed)?.max_per_hour ?? Infinity;
  if (session.compactionCount < most) return false;
  if ((await deps.store.compactions.appliedLastHour(session.id, most)) < most) return false;
  if (where) await noteDeclined(claimed, 'too_often', where);
  return true;
}

/** The provider refused the prompt: a limit it named wins over the table; true when the prompt got smaller. */
export async function roomAfterRefusal(
  claimed: ClaimedSession,
  wish: RoomWish,
  failure: ModelFailure,
): Promise<boolean> {
  if (isHeldByProvider(claimed)) {
    const place = { layer: 'overflow', trigger: 'emergency' } as const;
    return (await compactAtProvider(claimed, place, wish.signal)).kind === 'compacted';
  }
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
  // A proven overflow gets one attempt past the rests, without ending them; after that the local summary is at hand.
  const mode = claimed.overflowTried && mayNotHold(claimed) ? 'local' : 'full';
  const force = !claimed.overflowTried;
  claimed.overflowTried = true;
  await compactNow(claimed, wish, { layer: 'overflow', trigger: 'emergency', mode, force });
  const recovered = claimed.state().promptTokens < before * 0.95;
  claimed.deps.meter.count('gateway_context_overflow_errors_total', {
    model: claimed.deps.model.info.name,
    recovered: recovered ? 'yes' : 'no',
  });
  return recovered;
}

async function atTrigger(claimed: ClaimedSession, wish: RoomWish): Promise<void> {
  if (!claimed.deps.config.compression.background) {
    const { signal } = wish;
    const inline = { ...atThreshold, mode: 'full', force: false, signal } as const;
    await tellingOfWait(claimed, wish, () => compactSession(claimed, inline));
    return;
  }
  if (await applyPrepared(claimed, wish, { layer: 'agent' })) return;
  const mayPrune = claimed.engine.prunes !== false && !claimed.pruned;
  if (mayPrune && !(await claimed.deps.store.compactions.preparationUnderWay(claimed.session.id))) {
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
  const { deps, session } = claimed;
  if (!deps.config.compression.background) return;
  if ((await findPlan(claimed)) === null)
    await deps.queue.maintain({ kind: 'prepare', sessionId: session.id, urgent });
}

/** Apply a plan made ahead, if one is there and its rows are unchanged. */
export async function applyPrepared(
  claimed: ClaimedSession,
  wish: RoomWish,
  where: Pick<CompactionWish, 'layer'> & Partial<Pick<CompactionWish, 'trigger' | 'replies'>>,
): Promise<boolean> {
  const { layer, trigger = 'prepared', replies = routineNotice(claimed, wish) } = where;
  const plan = await findPlan(claimed);
  if (!plan) return false;
  const done = await compactSession(claimed, {
    plan,
    layer,
    trigger,
    mode: 'full',
    force: false,
    signal: wish.signal,
    replies,
  });
  await claimed.deps.store.compactions.dropPrepared(claimed.session.id);
  return done.applied !== null;
}

type Where = Pick<CompactionWish, 'layer' | 'trigger'>;
type RoomNow = Where & { mode: 'full' | 'local'; force?: boolean };

const hygiene: Where = { layer: 'hygiene', trigger: 'hygiene' };
const atThreshold: Where = { layer: 'agent', trigger: 'threshold' };

/** Room is needed before the turn can go on: prepared plan, else a held summary, else the local one. */
async function compactNow(claimed: ClaimedSession, wish: RoomWish, how: RoomNow): Promise<void> {
  const { layer } = how;
  const before = claimed.state().promptTokens;
  if (await applyPrepared(claimed, wish, { layer })) {
    if (claimed.state().promptTokens < before && !stillTooBig(claimed)) return;
  }
  if (how.mode === 'full' && (await isServedByHold(claimed, wish, how))) return;
  await compactAloud(claimed, wish, { ...how, mode: 'local', force: true, signal: wish.signal });
}

/** The person waits and hears of it; that a local summary took the model's place is told once a streak. */
async function compactAloud(
  claimed: ClaimedSession,
  wish: RoomWish,
  how: Omit<CompactionWish, 'replies'>,
): Promise<CompactionDone> {
  const done = await compactSession(claimed, { ...how, replies: waitedNotice(claimed, wish) });
  if (done.told && done.applied?.outcome === 'deterministic') await rememberTold(claimed, 'failed');
  return done;
}

/** Hold the message for a summary: of the job that is at it, else of our own. False: only the local one is left. */
async function isServedByHold(claimed: ClaimedSession, wish: RoomWish, how: RoomNow): Promise<boolean> {
  const hold = holdSignal(claimed);
  const signal = AbortSignal.any([wish.signal, hold]);
  const replies = waitedNotice(claimed, wish);
  return tellingOfWait(claimed, { turn: wish.turn, signal }, async () => {
    await awaitPreparation(claimed, signal);
    if ((await applyPrepared(claimed, wish, { layer: how.layer, replies })) && !stillTooBig(claimed))
      return true;
    const force = how.force ?? false;
    const done = await compactAloud(claimed, wish, { ...how, mode: 'full', force, signal, hold });
    return wish.signal.aborted || isEnough(claimed, done, how);
  });
}

/**
 * The held attempt settled the matter: it made room; or there is still room and nothing to take out, or the model failed
 * in a way that keeps the history (a key refused, a quota used up). A hold that ran out is met by the local summary.
 */
function isEnough(claimed: ClaimedSession, done: CompactionDone, { layer }: RoomNow): boolean {
  if (stillTooBig(claimed)) return false;
  if (done.applied) return true;
  return layer !== 'overflow' && done.reason !== 'turn_hold';
}

function stillTooBig(claimed: ClaimedSession): boolean {
  const { promptTokens, budget } = claimed.state();
  return promptTokens >= budget.windowTokens - budget.outputReserveTokens;
}

/** The person waited, so the person is told, once a claim; of trouble once a streak. */
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
  const isLocal = made.plan.outcome === 'deterministic';
  if (
    !wish.turn ||
    claimed.told ||
    !claimed.deps.config.compression.notices ||
    (isLocal && !isNews(claimed, 'failed'))
  )
    return [];
  claimed.told = true;
  return [
    {
      key: `compaction-${made.compactionId}`,
      chat: wish.turn.chat,
      kind: 'notice',
      text: noticeIn(wish.turn.chat, isLocal ? 'condensedLocally' : 'condensed'),
      turnId: wish.turn.id,
    },
  ];
}

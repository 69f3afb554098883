import type { Session } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { openReader } from './open-claimed.ts';
import { compactSession } from './compact-session.ts';
import type { TurnDeps } from './deps.ts';
import { holdSignal, mayNotHold } from './hold-turn.ts';
import { makePlan } from './make-plan.ts';
import { applyPrepared, waitedNotice, type RoomWish } from './make-room.ts';
import { isHeldByProvider } from './provider-compaction.ts';
import { restsAfterUndo } from './rest-after-undo.ts';
import { whileFree } from './while-free.ts';

/**
 * Maintenance job for a session in which nothing happened for `idle_compact_after_seconds`: plan, then apply if nothing
 * happened meanwhile either. Somebody who was faster is served by `idleBeforeAgent`.
 */
export async function compactIdle(deps: TurnDeps, sessionId: string, signal: AbortSignal): Promise<void> {
  const { turns, compactions } = deps.store;
  const session = await turns.session(sessionId);
  if (!session) return;
  const reader = await openReader(deps, session);
  if (!isWorthIt(reader)) return compactions.idleSeen(sessionId);
  const isReady = await makePlan(reader, { trigger: 'idle', signal });
  // Put back by a shutdown: the next sweep finds it again.
  if (signal.aborted) return;
  if (!isReady) return compactions.idleSeen(sessionId);
  await whileFree(deps, sessionId, (claimed) => applyIdle(claimed, session, signal));
}

async function applyIdle(claimed: ClaimedSession, asFound: Session, signal: AbortSignal): Promise<void> {
  if (claimed.session.updatedAt.getTime() !== asFound.updatedAt.getTime()) return;
  await claimed.view.reload();
  if (isWorthIt(claimed))
    await applyPrepared(claimed, { turn: null, signal }, { layer: 'background', trigger: 'idle' });
  await claimed.deps.store.compactions.idleSeen(claimed.session.id);
}

/**
 * The person came back before the job was done: the turn condenses first, as long as a message may be held, and goes on
 * with the whole history when the summary takes longer.
 */
export async function idleBeforeAgent(claimed: ClaimedSession, wish: RoomWish): Promise<void> {
  if (claimed.idleLooked || !wish.turn || wish.turn.attempt > 1) return;
  claimed.idleLooked = true;
  if (!wasIdle(claimed, wish.turn.mailbox[0]?.acceptedAt) || !isWorthIt(claimed)) return;
  const where = { layer: 'agent', trigger: 'idle' } as const;
  if (await applyPrepared(claimed, wish, where)) return;
  if (mayNotHold(claimed)) return;
  const hold = holdSignal(claimed);
  await compactSession(claimed, {
    ...where,
    mode: 'full',
    force: false,
    signal: AbortSignal.any([wish.signal, hold]),
    hold,
    replies: waitedNotice(claimed, wish),
  });
}

/** Both times are the database's: of the last change before this claim, and of the message. */
function wasIdle({ deps, claimedAfter }: ClaimedSession, acceptedAt: Date | undefined): boolean {
  const seconds = deps.config.compression.idle_compact_after_seconds;
  if (seconds === 0 || !acceptedAt) return false;
  return acceptedAt.getTime() - claimedAfter.getTime() >= seconds * 1000;
}

/**
 * More than the idle floor, trigger × target_ratio; nothing came since the last compaction that was counted; and whatever
 * holds automatic compaction back at the trigger (rests, strikes, too few rows) holds it back here too.
 */
function isWorthIt(claimed: ClaimedSession): boolean {
  const { deps, engine, view } = claimed;
  const { compression } = deps.config;
  // The section is the compressor's: it drives nothing under other engines.
  if (compression.idle_compact_after_seconds === 0 || engine.name !== 'compressor') return false;
  if (isHeldByProvider(claimed)) return false;
  const state = claimed.state();
  const { triggerTokens } = engine.getStatus(state.budget);
  if (state.promptTokens <= triggerTokens * compression.target_ratio) return false;
  if (state.session.lastPromptTokens === -1 || restsAfterUndo(view, state)) return false;
  const atTrigger = { ...state, promptTokens: Math.max(state.promptTokens, triggerTokens) };
  return engine.shouldCompress(atTrigger).kind === 'now';
}

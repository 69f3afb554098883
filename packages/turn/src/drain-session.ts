import {
  accountKey,
  GatewayError,
  type Interaction,
  LeaseLost,
  type Lease,
  never,
  type NextWork,
  type Turn,
} from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { openClaimed } from './open-claimed.ts';
import { answerSignal } from './commands/answer-signal.ts';
import { runCommand } from './commands/run-command.ts';
import { warnOfBudget, withinBudget } from './daily-budget.ts';
import type { TurnDeps } from './deps.ts';
import { followEngine } from './follow-engine.ts';
import { hearAudio } from './hear-audio.ts';
import { keepLease } from './lease-keeper.ts';
import type { PersonSeats, Seat } from './person-seats.ts';
import { runTurn } from './run-turn.ts';
import { watchSignals } from './signal-watch.ts';
import { traceClaim, traceCommand, traceTurn } from './trace-turn.ts';
import { noticeIn } from './texts.ts';
import { workOptions } from './work-options.ts';

export type DrainEnd = 'drained' | 'busy' | 'unknown_session' | 'lease_lost';

/**
 * A wake-up for one session: claim → work in mailbox order, at most `max_turns_per_claim` turns → release.
 * Leaves a new wake-up behind when something is waiting. Busy: the holder will drain it.
 * `stopping` fires on shutdown: the turn in work is put back, with its id.
 */
export async function drainSession(
  deps: TurnDeps & { seats: PersonSeats },
  sessionId: string,
  stopping: AbortSignal,
): Promise<DrainEnd> {
  const leaseMs = deps.config.worker.lease_seconds * 1000;
  const lookedAt = deps.clock.now();
  const claim = await deps.store.turns.claim(sessionId, deps.owner, leaseMs);
  if (claim.kind === 'busy') return 'busy';
  if (claim.kind === 'unknown') return 'unknown_session';
  let holder: { readonly lease: Lease } = claim;
  const { turns } = deps.store;
  let outage = false;
  let left: Left = 'held';
  const seat = deps.seats.seat();
  const kept = keepLease({ turns, lease: () => holder.lease, leaseMs, logger: deps.logger });
  try {
    const claimed = await openClaimed(deps, claim);
    holder = claimed;
    left = await workThrough(claimed, { ending: AbortSignal.any([kept.signal, stopping]), seat, lookedAt });
    return 'drained';
  } catch (thrown) {
    outage = isOutage(thrown);
    if (!(thrown instanceof LeaseLost)) throw thrown;
    deps.meter.count('gateway_fenced_writes_total', { what: 'turn' });
    return 'lease_lost';
  } finally {
    kept.stop();
    seat.leave();
    const isHeld = left === 'held' || left === 'crowded';
    const waiting = isHeld ? await turns.release(holder.lease) : left === 'waiting';
    if (left === 'crowded') seat.wakeWhenFree(holder.lease.sessionId);
    // At once again would only spin, and ask the model each time; the sweeper comes back in its own time.
    else if (waiting && !outage) await deps.queue.wake(holder.lease.sessionId);
  }
}

/** The database is away, full or overloaded; the same work may succeed later. */
function isOutage(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.retryable && thrown.code.startsWith('database_');
}

/**
 * held: the lease is still ours · crowded: so it is, but the person has as many turns as one may have · done, waiting:
 * given back, and whether something came at that moment.
 */
type Left = 'held' | 'crowded' | 'done' | 'waiting';

async function workThrough(
  claimed: ClaimedSession,
  { ending, seat, lookedAt }: { ending: AbortSignal; seat: Seat; lookedAt: Date },
): Promise<Left> {
  const { deps } = claimed;
  const { worker } = deps.config;
  let claimedFrom = lookedAt;
  for (let turns = 0; turns < worker.max_turns_per_claim && !ending.aborted;) {
    const work: NextWork = await deps.store.turns.nextWork(claimed.lease, {
      ...workOptions(claimed),
      admit: (senderId) => seat.take(senderId),
    });
    switch (work.kind) {
      case 'none':
        return 'held';
      case 'crowded':
        return 'crowded';
      case 'later':
        wakeLater(deps, claimed.session.id, work.waitMs);
        return 'held';
      case 'signals':
        await answerSignals(claimed);
        break;
      case 'turn': {
        if (turns === 0) observeWake(deps, work.turn);
        turns++;
        traceClaim(deps, work.turn, claimedFrom);
        await traceTurn(claimed, work.turn, () => oneTurn(claimed, work, ending));
        seat.leave();
        claimedFrom = deps.clock.now();
        const end = claimed.afterTurn ?? (await deps.store.turns.releaseWhenDone(claimed.lease));
        if (end !== 'more') return end;
        break;
      }
      case 'command':
        await claimed.view.reload();
        await traceCommand(claimed, work.row, () => runCommand(claimed, work.row, ending));
        await deps.queue.deliver(accountKey(work.row.chat.account));
        if (claimed.modelChanged || (await sessionEnded(claimed))) return 'held';
        break;
      case 'audio':
        await hearAudio(claimed, work.audio, ending);
        break;
      case 'poison':
        await bury(claimed, work.turn);
        break;
      default:
        never(work);
    }
  }
  return 'held';
}

/** From the commit of a message to the claim that it woke; a repeated attempt was woken by something else. */
function observeWake({ meter, clock }: TurnDeps, { attempt, mailbox: [first] }: Turn): void {
  if (attempt > 1 || !first) return;
  const seconds = Math.max(0, (clock.now().getTime() - first.acceptedAt.getTime()) / 1000);
  meter.observe('gateway_wake_latency_seconds', seconds);
}

/** A message that may still grow is looked at again in time; if this process ends before, the sweeper does it. */
function wakeLater(deps: TurnDeps, sessionId: string, waitMs: number): void {
  const timer = setTimeout(() => {
    deps.queue
      .wake(sessionId)
      .catch(() => deps.logger.warn({ sessionId }, 'wake-up not queued; the sweeper will find the message'));
  }, waitMs + 1);
  timer.unref();
}

async function oneTurn(
  claimed: ClaimedSession,
  { turn, view }: Extract<NextWork, { kind: 'turn' }>,
  ending: AbortSignal,
): Promise<void> {
  claimed.afterTurn = null;
  if (view) claimed.view.take(view);
  else await claimed.view.reload();
  await followEngine(claimed, ending);
  const watch = watchSignals(claimed, turn);
  try {
    const budgets = await withinBudget(claimed, turn);
    if (!budgets) return;
    // What is said of the budget afterwards is written under the lease.
    const closing = budgets.length === 0 ? { closing: () => watch.stop() } : {};
    await runTurn(claimed, turn, { signal: AbortSignal.any([ending, watch.signal]), ...closing });
    await warnOfBudget(claimed, turn, budgets);
  } catch (thrown) {
    // Not the turn's fault: it is tried again as often as the database is found full or away.
    if (isOutage(thrown)) await claimed.deps.store.turns.suspendTurn(claimed.lease, turn.id).catch(() => {});
    throw thrown;
  } finally {
    await watch.stop();
    await claimed.deps.queue.deliver(accountKey(turn.chat.account));
  }
}

/** Signals that found no turn running. */
async function answerSignals(claimed: ClaimedSession): Promise<void> {
  const signals = await claimed.deps.store.turns.takeSignals(claimed.lease);
  if (signals.length > 0) await claimed.view.reload();
  for (const signal of signals) await answerSignal(claimed, signal, null);
}

async function bury(claimed: ClaimedSession, turn: Turn): Promise<void> {
  const { deps, lease } = claimed;
  deps.logger.error(
    { sessionId: turn.sessionId, turnId: turn.id, attempts: turn.attempt },
    'turn given up; its messages are dead letters',
  );
  // What an operator asked for is no message of the person.
  const isOperators = turn.mailbox.every((row) => row.content.kind === 'operator');
  const told = {
    key: `buried-${turn.id}`,
    chat: turn.chat,
    kind: 'notice',
    text: noticeIn(turn.chat, 'buried'),
    turnId: turn.id,
    interaction: interactionOf(turn),
  } as const;
  await deps.store.turns.buryTurn(lease, turn, isOperators ? [] : [told]);
  await deps.queue.deliver(accountKey(turn.chat.account));
}

function interactionOf({ mailbox: [first] }: Turn): Interaction | undefined {
  return first && first.content.kind !== 'operator' ? first.content.message.interaction : undefined;
}

async function sessionEnded(claimed: ClaimedSession): Promise<boolean> {
  const now = await claimed.deps.store.turns.session(claimed.session.id);
  return now === null || now.epoch !== claimed.lease.epoch;
}

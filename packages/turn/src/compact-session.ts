import {
  GatewayError,
  PlanOutdated,
  traced,
  type CompactionPlan,
  type CompressRequest,
  type NewReply,
  type NoPlan,
  type Outcome,
  type Reason,
  type SpanAttributes,
} from '@palimpsest/core';
import { askEngine } from './ask-engine.ts';
import type { ClaimedSession } from './claimed-session.ts';
import { countEnded } from './count-ended.ts';
import { afterHold } from './hold-turn.ts';
import { ledgerHead } from './ledger-head.ts';
import { countDroppedPlan } from './prepared-plan.ts';

export interface CompactionWish extends Omit<
  CompressRequest,
  'budget' | 'promptTokens' | 'promptTokensSource'
> {
  /** A plan made ahead; without one the engine is asked now. */
  plan?: CompactionPlan;
  /** Told to the person in the transaction of the change. */
  replies?(plan: CompactionPlan, compactionId: number): readonly NewReply[];
  signal: AbortSignal;
  /** A message is held for this attempt until then; part of `signal`. */
  hold?: AbortSignal;
}

export interface CompactionDone {
  outcome: Outcome;
  reason: Reason;
  compactionId: number;
  applied: CompactionPlan | null;
  /** The person was told of it. */
  told: boolean;
}

/** `startedAt` is in milliseconds of the clock. */
interface Attempt {
  claimed: ClaimedSession;
  wish: CompactionWish;
  startedAt: number;
}

/**
 * The one way a compaction runs: ledger row → engine's plan → one transaction of the store → ledger row closed.
 * Hygiene, agent, maintenance, commands and CLI all come through here.
 * throws LeaseLost; the ledger row is then closed by the sweeper
 */
export function compactSession(claimed: ClaimedSession, wish: CompactionWish): Promise<CompactionDone> {
  const { layer, trigger } = wish;
  const attempt: Attempt = { claimed, wish, startedAt: claimed.deps.clock.now().getTime() };
  return traced(claimed.deps, 'compaction', {
    attributes: { 'gateway.compaction.layer': layer, 'gateway.compaction.trigger': trigger },
    async work(span) {
      const done = await attemptCompaction(attempt);
      span.set({ ...attributesOf(done), 'gateway.compaction.duration_ms': tookMs(attempt) });
      return done;
    },
  });
}

function attributesOf({ outcome, reason, applied }: CompactionDone): SpanAttributes {
  const ended = { 'gateway.compaction.outcome': outcome, 'gateway.compaction.reason': reason };
  if (!applied) return ended;
  const { tokensBefore, tokensAfter, rowsBefore, rowsAfter } = applied.figures;
  return {
    ...ended,
    'gateway.compaction.tokens_before': tokensBefore,
    'gateway.compaction.tokens_after': tokensAfter,
    'gateway.compaction.messages_before': rowsBefore,
    'gateway.compaction.messages_after': rowsAfter,
  };
}

async function attemptCompaction(attempt: Attempt): Promise<CompactionDone> {
  const { claimed, wish } = attempt;
  const { deps, lease } = claimed;
  const compactionId = await deps.store.compactions.open(ledgerHead(claimed, wish));
  deps.meter.add('gateway_compaction_inflight', 1, { layer: wish.layer });
  try {
    const plan = wish.plan ? asOfNow(claimed, wish.plan) : await makePlan(claimed, wish);
    if (plan.kind === 'none') {
      await deps.store.compactions.closeWithout(compactionId, plan, lease);
      await claimed.refresh();
      return await count(attempt, unchanged(plan, compactionId));
    }
    const replies = wish.replies?.(plan, compactionId) ?? [];
    await measuredApply(claimed, { compactionId, plan, replies });
    const { outcome, reason } = plan;
    return await count(attempt, { outcome, reason, compactionId, applied: plan, told: replies.length > 0 });
  } catch (thrown) {
    const refused = asRefusal(thrown);
    if (!refused) {
      await noteBroken(attempt, compactionId, thrown);
      throw thrown;
    }
    if (wish.plan && thrown instanceof PlanOutdated) countDroppedPlan(claimed, 'rows_changed');
    await deps.store.compactions.closeWithout(compactionId, refused, lease);
    // What the plan was made on is not what is stored.
    if (thrown instanceof PlanOutdated) await claimed.refresh();
    return await count(attempt, unchanged(refused, compactionId));
  } finally {
    deps.meter.add('gateway_compaction_inflight', -1, { layer: wish.layer });
  }
}

type Applying = { compactionId: number; plan: CompactionPlan; replies: readonly NewReply[] };

/** What the lossless engine's graph takes to be stored is a phase of it. */
async function measuredApply(claimed: ClaimedSession, made: Applying): Promise<void> {
  const { clock, meter } = claimed.deps;
  const startedAt = clock.now().getTime();
  await applyPlan(claimed, made);
  if (claimed.engine.name !== 'lcm') return;
  const seconds = (clock.now().getTime() - startedAt) / 1000;
  meter.observe('gateway_lcm_phase_duration_seconds', seconds, { phase: 'commit' });
}

/**
 * In place, or with `in_place: false` into a child session when something is summed up: to clear old tool output or to
 * begin a chapter no session is left. The parent's lease is given back once the child's is known here.
 */
async function applyPlan(claimed: ClaimedSession, made: Applying): Promise<void> {
  const { deps, lease, engine } = claimed;
  const { compactionId, plan, replies } = made;
  const rotates = !deps.config.compression.in_place && engine.name === 'compressor' && writesSummary(plan);
  if (!rotates) {
    await deps.store.compactions.apply(lease, compactionId, plan, replies);
    return claimed.refresh();
  }
  const child = await deps.store.compactions.rotate(lease, compactionId, plan, replies);
  await claimed.moveTo(child.lease, child.session);
  await deps.store.turns.release(lease);
}

function writesSummary(plan: CompactionPlan): boolean {
  return plan.write.some((row) => row.kind === 'summary');
}

async function makePlan(claimed: ClaimedSession, wish: CompactionWish): Promise<CompactionPlan | NoPlan> {
  const { hold, signal } = wish;
  const made = await askEngine(claimed, wish, signal);
  return hold ? afterHold(claimed, made, { hold, signal }) : made;
}

/** A plan made ahead saves what it saved then; what it is taken from has grown since. */
function asOfNow(claimed: ClaimedSession, plan: CompactionPlan): CompactionPlan {
  const { promptTokens, source, liveRows } = claimed.state();
  const saved = plan.figures.tokensBefore - plan.figures.tokensAfter;
  // What came since stays; the plan knows what of the rest are rows.
  const grown = liveRows - plan.figures.rowsBefore;
  const figures = {
    ...plan.figures,
    tokensBefore: promptTokens,
    tokensBeforeSource: source,
    tokensAfter: Math.max(0, promptTokens - saved),
    rowsBefore: liveRows,
    rowsAfter: Math.max(0, plan.figures.rowsAfter + grown),
    rowsProtected: Math.max(0, plan.figures.rowsProtected + grown),
  };
  return { ...plan, figures };
}

function unchanged({ outcome, reason }: NoPlan, compactionId: number): CompactionDone {
  return { outcome, reason, compactionId, applied: null, told: false };
}

/** Refusals of the store that leave the history as it was and end the attempt in the ledger. */
function asRefusal(thrown: unknown): NoPlan | null {
  const base = { kind: 'none' as const, summaryModel: null, summaryCalls: 0 };
  if (thrown instanceof PlanOutdated)
    return { ...base, outcome: 'aborted', reason: 'validation_failed', message: thrown.message };
  if (thrown instanceof GatewayError && thrown.code === 'no_seq') {
    return { ...base, outcome: 'noop', reason: 'no_seq', message: thrown.message };
  }
  return null;
}

/**
 * The database refused the change: the row is closed if it lets us. If not, the sweeper closes and counts it, as it does
 * for every other throw. No strike: the model did nothing wrong.
 */
async function noteBroken(attempt: Attempt, compactionId: number, thrown: unknown): Promise<void> {
  if (!(thrown instanceof GatewayError) || !thrown.code.startsWith('database_')) return;
  const broken: NoPlan = {
    kind: 'none',
    outcome: 'failed',
    reason: 'db_error',
    summaryModel: null,
    summaryCalls: 0,
    message: `the database refused the change (${thrown.code}); the history stays as it was`,
  };
  try {
    await attempt.claimed.deps.store.compactions.closeWithout(compactionId, broken, null);
  } catch {
    return;
  }
  await count(attempt, unchanged(broken, compactionId));
}

/** Measure and log how an attempt ended, and pass its end on. */
async function count(attempt: Attempt, done: CompactionDone): Promise<CompactionDone> {
  const { outcome, reason, compactionId, applied } = done;
  const seconds = tookMs(attempt) / 1000;
  await countEnded(attempt.claimed, attempt.wish, { outcome, reason, compactionId, applied, seconds });
  return done;
}

function tookMs({ claimed, startedAt }: Attempt): number {
  return claimed.deps.clock.now().getTime() - startedAt;
}

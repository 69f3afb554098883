import type {
  Clock,
  CompactionPlan,
  CompressRequest,
  Config,
  ModelInfo,
  NoPlan,
  Summariser,
  TranscriptView,
} from '@palimpsest/core';
import { buildPlan, rowsToRead, type PlanGround, type SummaryMade } from './build-plan.ts';
import { chooseLayout } from './choose-layout.ts';
import { deterministicSummary } from './deterministic-summary.ts';
import { finishBody } from './finish-body.ts';
import { pruneForLean, type LeanPruned } from './lean-ground.ts';
import { measure, wrapTokens, type Sizes } from './measure.ts';
import { planDemotions, planLeanPrune, planPrune } from './plan-prune.ts';
import { capEstimate, contentTokensOf, expectedGain } from './plan-sizes.ts';
import { isFailureRest, isStructuralRest } from './rests.ts';
import { leastSummaryTokens, previousProse, summaryWish } from './summary-wish.ts';
import { writeSummary, type SummaryCost, type WrittenSummary } from './write-summary.ts';

export interface CompressHelp {
  summariser: Summariser;
  clock: Clock;
  signal: AbortSignal;
}

export interface CompressSettings {
  config: Config;
  model: ModelInfo;
}

/**
 * Rest after an automatic attempt at the trigger that found nothing to do, so that it is not asked again at every step.
 * A look ahead that found nothing leaves none: the next rows may bring something.
 */
const structuralBackoffMs = 300_000;
const noCost: SummaryCost = { calls: 0, inputTokens: 0, outputTokens: 0 };

/**
 * One compaction: sizes → layout → summary → plan. Never writes, never throws for a model failure.
 *
 *   nothing to take out ─────────────────────────────► none, noop
 *   mode prune ──────────────────────────────────────► cleared results only
 *   mode local, cooldown at the hard limit ──────────► deterministic summary
 *   summariser failed: abort ────────────────────────► none, failed, cooldown; the transcript stays
 *   summariser failed: local ────────────────────────► deterministic summary, cooldown
 */
export async function compress(
  view: TranscriptView,
  request: CompressRequest,
  { settings, help }: { settings: CompressSettings; help: CompressHelp },
): Promise<CompactionPlan | NoPlan> {
  const { session, rows } = view;
  const { compression } = settings.config;
  const measured = measure(rows, request, { ...settings, session });
  if (isHeldBack(view, request, { sizes: measured, clock: help.clock }))
    return none('skipped', 'cooldown', 'a summary failed lately; the rest before the next one is not over');
  if (isTooEarly(request, measured)) return notYet();
  const lean =
    compression.tail_mode === 'lean'
      ? await pruneForLean(view, request, { sizes: measured, config: compression })
      : null;
  if (lean && request.mode === 'prune') return planLeanPrune(view, request, { sizes: measured, lean });
  const sizes = lean?.sizes ?? measured;
  const layout = chooseLayout(lean?.rows ?? rows, sizes, compression);
  if (request.mode === 'prune') return planPrune(view, request, { sizes, layout });
  if (!layout) return withoutLayout(view, request, { sizes, lean });
  const bodies = lean?.bodies ?? (await view.bodies(rowsToRead(rows, layout)));
  const mostAnswerChars = compression.tail_assistant_max_chars;
  const ground: PlanGround = { session, rows, request, sizes, layout, bodies, lean, mostAnswerChars };
  if (!layout.summary)
    return (
      buildPlan(ground, null) ??
      none('ineffective', 'none', 'clearing tool results would not make the prompt smaller')
    );
  const isResting = isFailureRest(session, help.clock.now()) && !request.force && request.mode === 'full';
  if (lean && isLookAhead(request) && isTooLittle(ground)) return notYet();
  if (request.mode === 'local' || isResting || isNotWorthACall(ground))
    return planLocally(ground, localMade());
  return planWithModel(ground, { help, config: settings.config });
}

function isLookAhead({ layer, trigger }: CompressRequest): boolean {
  return layer === 'background' && trigger === 'prepared';
}

/**
 * A look ahead that was asked for before the prompt got small again: a plan made now would save little by the time it
 * is applied.
 */
function isTooEarly(request: CompressRequest, { promptTokens, prepareTokens }: Sizes): boolean {
  return isLookAhead(request) && promptTokens < prepareTokens;
}

/** A plan made ahead that wins less than this share of the trigger does not make up for what comes until then. */
const leastAheadGain = 0.2;

/** Below the trigger a small plan only takes the place of the larger one that could be made a little later. */
function isTooLittle(ground: PlanGround): boolean {
  const { promptTokens, triggerTokens } = ground.sizes;
  if (isNotWorthACall(ground)) return true;
  return promptTokens < triggerTokens && expectedGain(ground) < leastAheadGain * triggerTokens;
}

function notYet(): NoPlan {
  return none('noop', 'below_threshold', 'there is too little to take out yet');
}

function withoutLayout(
  view: TranscriptView,
  request: CompressRequest,
  { sizes, lean }: { sizes: Sizes; lean: LeanPruned | null },
): CompactionPlan | NoPlan {
  return (lean && planDemotions(view, request, { sizes, lean })) ?? nothingToDo(request, sizes);
}

async function planWithModel(
  ground: PlanGround,
  { help, config }: { help: CompressHelp; config: Config },
): Promise<CompactionPlan | NoPlan> {
  if (help.signal.aborted)
    return none('aborted', 'user_cancelled', 'stopped before the summary was asked for');
  const written = await writeSummary(summaryWish(ground, help.clock), help.summariser, help.signal);
  const summaryModel = help.summariser.model;
  if (written.kind === 'failed') return afterFailure(ground, written, { help, config });
  const made: SummaryMade = {
    body: finishBody(ground, written.body),
    outcome: 'success',
    reason: 'none',
    escalation: written.escalation,
    rowsDroppedWithoutSummary: 0,
    summaryModel,
    cost: written.cost,
  };
  return (
    buildPlan(ground, made) ??
    planLocally(ground, { ...localMade(), summaryModel, cost: written.cost, reason: 'summary_too_long' })
  );
}

function afterFailure(
  ground: PlanGround,
  failed: Extract<WrittenSummary, { kind: 'failed' }>,
  { help, config }: { help: CompressHelp; config: Config },
): CompactionPlan | NoPlan {
  const { reason, cost, cooldownMs } = failed;
  const summaryModel = help.summariser.model;
  const bill = { summaryModel, summaryCalls: cost.calls };
  if (help.signal.aborted)
    return { ...none('aborted', 'user_cancelled', 'stopped while the summary was written'), ...bill };
  if (failed.policy === 'abort' || config.compression.abort_on_summary_failure) {
    return { ...none('failed', reason, failed.message), ...bill, cooldownMs };
  }
  return planLocally(ground, { ...localMade(), reason, cooldownMs, summaryModel, cost });
}

type LocalMade = Pick<SummaryMade, 'reason' | 'cooldownMs' | 'summaryModel' | 'cost'>;

function localMade(): LocalMade {
  return { reason: 'none', summaryModel: null, cost: noCost };
}

/** The summary that needs no model, always shorter than what it stands for; shorter still if merging cost too much. */
function planLocally(ground: PlanGround, local: LocalMade): CompactionPlan | NoPlan {
  const rows = ground.layout.content.map((index) => ground.rows[index]!);
  const previous = previousProse(ground);
  const contentEstimate = contentTokensOf(ground) / ground.sizes.scale;
  for (const share of [0.8, 0.4]) {
    const capTokens = Math.min(
      capEstimate(ground.sizes),
      Math.max(leastSummaryTokens, Math.floor(contentEstimate * share) - wrapTokens),
    );
    const { body, mentionedRows } = deterministicSummary({
      rows,
      bodies: ground.bodies,
      previous,
      capTokens,
    });
    const rowsDroppedWithoutSummary = Math.max(0, rows.length - mentionedRows);
    const plan = buildPlan(ground, {
      ...local,
      body: finishBody(ground, body),
      outcome: 'deterministic',
      escalation: 'deterministic',
      rowsDroppedWithoutSummary,
    });
    if (plan) return plan;
  }
  const refused = none('ineffective', 'none', 'a summary would not be smaller than what it stands for');
  return { ...refused, summaryModel: local.summaryModel, summaryCalls: local.cost.calls };
}

/** After a compaction that did not help, a small range gets no call. */
function isNotWorthACall(ground: PlanGround): boolean {
  const { session, request, sizes } = ground;
  return (
    !request.force && session.ineffectiveStreak >= 1 && contentTokensOf(ground) < sizes.triggerTokens * 0.1
  );
}

/** Below the hard limit a rest is kept. That there was nothing to take out is no reason for the net before the agent. */
function isHeldBack(
  { session }: TranscriptView,
  request: CompressRequest,
  { sizes, clock }: { sizes: Sizes; clock: Clock },
): boolean {
  if (request.force || request.mode !== 'full' || sizes.promptTokens >= sizes.hardLimitTokens) return false;
  if (isFailureRest(session, clock.now())) return true;
  return request.layer !== 'hygiene' && isStructuralRest(session, clock.now());
}

function nothingToDo(request: CompressRequest, sizes: Sizes): NoPlan {
  const plan = none(
    'noop',
    'protected_only',
    'all rows are protected: first exchange, newest messages, earlier summary',
  );
  const isEarly = sizes.promptTokens < sizes.triggerTokens;
  return request.force || isEarly ? plan : { ...plan, cooldownMs: structuralBackoffMs };
}

function none(outcome: NoPlan['outcome'], reason: NoPlan['reason'], message: string): NoPlan {
  return { kind: 'none', outcome, reason, summaryModel: null, summaryCalls: 0, message };
}

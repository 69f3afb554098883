import {
  textOfParts,
  type Clock,
  type CompactionPlan,
  type CompressRequest,
  type Config,
  type ModelInfo,
  type NoPlan,
  type Summariser,
  type TranscriptView,
} from '@palimpsest/core';
import { buildPlan, previousSummary, rowsToRead, type PlanGround, type SummaryMade } from './build-plan.ts';
import { chooseLayout } from './choose-layout.ts';
import { deterministicSummary } from './deterministic-summary.ts';
import { measure, wrapTokens, type Sizes } from './measure.ts';
import { planPrune } from './plan-prune.ts';
import { redact } from './redact.ts';
import { renderRows } from './render-rows.ts';
import { isPerson } from './row-kinds.ts';
import { summaryBudget } from './summary-budget.ts';
import { splitMerged } from './summary-text.ts';
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

/** Rest after an automatic attempt that found nothing to do, so that it is not asked again at every step. */
const structuralBackoffMs = 300_000;
const leastSummaryTokens = 60;
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
  const sizes = measure(rows, request, { ...settings, session });
  const { compression } = settings.config;
  const layout = chooseLayout(rows, sizes, compression);
  if (request.mode === 'prune') return planPrune(view, request, { sizes, layout });
  if (!layout) return nothingToDo(request);
  const isResting = isCoolingDown(view, request, help.clock);
  if (isResting && sizes.promptTokens < sizes.hardLimitTokens)
    return none('skipped', 'cooldown', 'a summary failed lately; the rest before the next one is not over');
  const bodies = await view.bodies(rowsToRead(rows, layout));
  const ground: PlanGround = { session, rows, request, sizes, layout, bodies };
  if (!layout.summary)
    return (
      buildPlan(ground, null) ??
      none('ineffective', 'none', 'clearing tool results would not make the prompt smaller')
    );
  if (request.mode === 'local' || isResting || isNotWorthACall(ground))
    return planLocally(ground, localMade());
  return planWithModel(ground, { help, config: settings.config });
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
    body: written.body,
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
  const { reason, cooldownMs, cost } = failed;
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
  const previous = redact(previousSummary(ground.rows, ground.bodies));
  const contentEstimate = rows.reduce((sum, row) => sum + row.tokens, 0);
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
      body,
      outcome: 'deterministic',
      escalation: 'deterministic',
      rowsDroppedWithoutSummary,
    });
    if (plan) return plan;
  }
  const refused = none('ineffective', 'none', 'a summary would not be smaller than what it stands for');
  return { ...refused, summaryModel: local.summaryModel, summaryCalls: local.cost.calls };
}

function summaryWish(ground: PlanGround, clock: Clock) {
  const { sizes, layout, rows, bodies, request } = ground;
  const content = layout.content.map((index) => rows[index]!);
  const contentTokens = contentTokensOf(ground);
  const budget = summaryBudget({ contentTokens, windowTokens: sizes.windowTokens });
  const capTokens = capEstimate(sizes);
  return {
    blocks: renderRows(content, bodies).map((block) => block.text),
    previous: redact(previousSummary(rows, bodies)),
    focus: redact(request.focus?.trim() ?? ''),
    openRequest: openRequestOf(ground),
    // A summary longer than half of what it stands for is none.
    targetTokens: Math.max(
      leastSummaryTokens,
      Math.min(budget, Math.floor(contentTokens / 2), Math.floor(capTokens * 0.85)),
    ),
    capTokens,
    today: clock.now(),
    caution: Math.max(1, sizes.scale),
  };
}

const openRequestChars = 1_400;

/** The newest message of the person where rows behind it leave the prompt while it stays. */
function openRequestOf({ rows, bodies, layout }: PlanGround): string {
  const newest = rows.findLastIndex(isPerson);
  const isCut =
    newest !== -1 && !layout.middle.includes(newest) && layout.middle.some((index) => index > newest);
  if (!isCut) return '';
  const text = textOfParts(splitMerged(bodies.get(rows[newest]!.id)?.parts ?? []).content);
  return redact(text.slice(0, openRequestChars).toWellFormed());
}

/** The cap in estimated tokens, for texts that are measured by the estimate. */
function capEstimate(sizes: Sizes): number {
  return Math.floor(sizes.summaryCapTokens / Math.max(1, sizes.scale));
}

function contentTokensOf({ layout, rows, sizes }: PlanGround): number {
  return Math.floor(layout.content.reduce((sum, index) => sum + rows[index]!.tokens, 0) * sizes.scale);
}

/** After a compaction that did not help, a small range gets no call (spec/compressor.md 7.1). */
function isNotWorthACall(ground: PlanGround): boolean {
  const { session, request, sizes } = ground;
  return (
    !request.force && session.ineffectiveStreak >= 1 && contentTokensOf(ground) < sizes.triggerTokens * 0.1
  );
}

function isCoolingDown({ session }: TranscriptView, request: CompressRequest, clock: Clock): boolean {
  if (request.force || request.mode !== 'full' || !session.cooldownUntil) return false;
  return session.cooldownUntil.getTime() > clock.now().getTime();
}

function nothingToDo(request: CompressRequest): NoPlan {
  const plan = none(
    'noop',
    'protected_only',
    'all rows are protected: first exchange, newest messages, earlier summary',
  );
  return request.force ? plan : { ...plan, cooldownMs: structuralBackoffMs };
}

function none(outcome: NoPlan['outcome'], reason: NoPlan['reason'], message: string): NoPlan {
  return { kind: 'none', outcome, reason, summaryModel: null, summaryCalls: 0, message };
}

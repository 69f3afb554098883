import type { CompactionPlan, CompressRequest, NoPlan, TranscriptView } from '@palimpsest/core';
import { buildPlan } from './build-plan.ts';
import { clearableTokens, type Layout } from './choose-layout.ts';
import type { LeanPruned } from './lean-ground.ts';
import type { Sizes } from './measure.ts';
import { isLongResult } from './prune-tool-results.ts';

/**
 * Phase 1 on its own, without a model: long tool results outside the protected head and tail are replaced by rows with
 * the cleared text. Nothing else changes, no summary is written.
 */
export async function planPrune(
  view: TranscriptView,
  request: CompressRequest,
  { sizes, layout }: { sizes: Sizes; layout: Layout | null },
): Promise<CompactionPlan | NoPlan> {
  const { rows, session } = view;
  const candidates = (layout?.content ?? []).filter(
    (index) => rows[index]!.role === 'tool' && rows[index]!.tokens >= clearableTokens,
  );
  if (candidates.length === 0) return nothing();
  const bodies = await view.bodies(candidates.map((index) => rows[index]!.id));
  const cleared = candidates.filter((index) => isLongResult(bodies.get(rows[index]!.id)?.parts ?? []));
  const pruned: Layout = { ...keepAll, cleared };
  const ground = { session, rows, request, sizes, layout: pruned, bodies, lean: null, mostAnswerChars: null };
  return buildPlan(ground, null) ?? nothing();
}

/**
 * The same in lean mode: results that give way become one line with a pointer, anywhere. A prune that leaves the prompt
 * at the trigger is not worth a changed prefix: it would count as a compaction that did not help.
 */
export function planLeanPrune(
  view: TranscriptView,
  request: CompressRequest,
  { sizes, lean }: { sizes: Sizes; lean: LeanPruned },
): CompactionPlan | NoPlan {
  const plan = buildPlan(leanGround(view, request, lean), null);
  if (!plan || plan.figures.tokensAfter >= Math.min(sizes.triggerTokens, request.promptTokens))
    return nothing();
  return plan;
}

/** Shares of the trigger that have to be won before rows are changed without a summary, now and ahead of time. */
const leastGain = 0.1;
const leastGainAhead = 0.2;

/**
 * Where no row can leave the prompt, old results may still give way: a plan without a summary, null when too little is
 * won by it.
 */
export function planDemotions(
  view: TranscriptView,
  request: CompressRequest,
  { sizes, lean }: { sizes: Sizes; lean: LeanPruned },
): CompactionPlan | null {
  const plan = buildPlan(leanGround(view, request, lean), null);
  if (!plan) return null;
  const { tokensBefore, tokensAfter } = plan.figures;
  const share = request.layer === 'background' ? leastGainAhead : leastGain;
  return tokensBefore - tokensAfter >= share * sizes.triggerTokens ? plan : null;
}

const keepAll: Layout = { level: 'normal', middle: [], content: [], cleared: [], summary: null };

function leanGround({ session, rows }: TranscriptView, request: CompressRequest, lean: LeanPruned) {
  const { sizes, bodies } = lean;
  return { session, rows, request, sizes, layout: keepAll, bodies, lean, mostAnswerChars: null };
}

function nothing(): NoPlan {
  const message = 'no tool result outside of the protected rows is long enough to be cleared';
  return {
    kind: 'none',
    outcome: 'noop',
    reason: 'protected_only',
    summaryModel: null,
    summaryCalls: 0,
    message,
  };
}

import type { CompactionPlan, CompressRequest, NoPlan, TranscriptView } from '@palimpsest/core';
import { buildPlan } from './build-plan.ts';
import { clearableTokens, type Layout } from './choose-layout.ts';
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
  const pruned: Layout = { level: 'normal', middle: [], content: [], cleared, summary: null };
  return buildPlan({ session, rows, request, sizes, layout: pruned, bodies }, null) ?? nothing();
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

import { textOfParts, type Clock } from '@palimpsest/core';
import { earlierSummaries, type PlanGround } from './build-plan.ts';
import { joinEarlier } from './lean-summary.ts';
import type { LeanParts } from './lean-sections.ts';
import { capEstimate, contentTokensOf } from './plan-sizes.ts';
import { recentTopics } from './recent-topics.ts';
import { redact } from './redact.ts';
import { renderLeanRows } from './render-lean-rows.ts';
import { renderRows } from './render-rows.ts';
import { isPerson } from './row-kinds.ts';
import { summaryBudget } from './summary-budget.ts';
import { splitMerged } from './summary-text.ts';
import type { SummaryWish } from './write-summary.ts';

/** A summary below this says nothing. */
export const leastSummaryTokens = 60;
/** The session log of lean mode is longer by this. */
const logTokens = 4_000;
const openRequestChars = 1_400;

/** What the summariser is asked for: the rows that leave, redacted, and how long the answer may be. */
export function summaryWish(ground: PlanGround, clock: Clock): SummaryWish {
  const { sizes, request, lean } = ground;
  const contentTokens = contentTokensOf(ground);
  const budget = summaryBudget({ contentTokens, windowTokens: sizes.windowTokens }) + (lean ? logTokens : 0);
  const capTokens = capEstimate(sizes);
  const focus = redact(request.focus?.trim() ?? '');
  return {
    blocks: blocksOf(ground),
    previous: previousProse(ground),
    focus,
    openRequest: openRequestOf(ground),
    recent: lean && focus === '' ? recentTopics(ground.rows, lean.bodyOf) : '',
    hasLog: lean !== null,
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

function blocksOf({ rows, layout, bodies, lean }: PlanGround): readonly string[] {
  if (lean) return renderLeanRows(layout.content, { rows, bodyOf: lean.bodyOf, demoted: lean.demoted });
  const content = layout.content.map((index) => rows[index]!);
  return renderRows(content, bodies).map((block) => block.text);
}

/** Earlier summaries, taken apart in lean mode. */
export function earlierParts({ rows, bodies }: PlanGround): LeanParts {
  return joinEarlier(earlierSummaries(rows, bodies));
}

/** What the model is to update, redacted. In lean mode the mechanical parts are left out: they are carried on as they are. */
export function previousProse(ground: PlanGround): string {
  const previous = ground.lean
    ? earlierParts(ground).prose
    : earlierSummaries(ground.rows, ground.bodies).join('\n\n');
  return redact(previous);
}

/** The newest message of the person where rows behind it leave the prompt while it stays. */
function openRequestOf({ rows, bodies, layout }: PlanGround): string {
  const newest = rows.findLastIndex(isPerson);
  const isCut =
    newest !== -1 && !layout.middle.includes(newest) && layout.middle.some((index) => index > newest);
  if (!isCut) return '';
  const text = textOfParts(splitMerged(bodies.get(rows[newest]!.id)?.parts ?? []).content);
  return redact(text.slice(0, openRequestChars).toWellFormed());
}

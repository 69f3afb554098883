import type { PlanGround } from './build-plan.ts';
import type { Sizes } from './measure.ts';

/** The cap of a summary in estimated tokens, for texts that are measured by the estimate. */
export function capEstimate(sizes: Sizes): number {
  return Math.floor(sizes.summaryCapTokens / Math.max(1, sizes.scale));
}

/** Real tokens of the rows that are told in the summary, in lean mode as phase 1 left them. */
export function contentTokensOf({ layout, rows, sizes, lean }: PlanGround): number {
  const sized = lean?.rows ?? rows;
  return Math.floor(layout.content.reduce((sum, index) => sum + sized[index]!.tokens, 0) * sizes.scale);
}

/** Estimated tokens of all rows that leave, earlier summaries included, as they stand in the prompt. */
export function removedTokensOf({ layout, rows }: PlanGround): number {
  return layout.middle.reduce((sum, index) => sum + rows[index]!.tokens, 0);
}

/** Real tokens that a plan of this layout will win, about: rows that leave and results that give way, less the summary. */
export function expectedGain(ground: PlanGround): number {
  const { layout, rows, sizes, lean } = ground;
  const gone = new Set(layout.middle);
  const kept = (lean?.rows ?? rows).reduce(
    (sum, row, index) => (gone.has(index) ? sum : sum + row.tokens),
    0,
  );
  const before = rows.reduce((sum, row) => sum + row.tokens, 0);
  const summary = layout.summary ? Math.min(sizes.summaryRowTokens, contentTokensOf(ground) / 2) : 0;
  return (before - kept) * sizes.scale - summary;
}

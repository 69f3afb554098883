import type { CompactionPlan, TranscriptView } from '@palimpsest/core';
import { stateChange } from './build-plan.ts';
import { tokensOf, type ContextItem, type SummaryItem } from './items.ts';
import { plainFigures } from './plan-figures.ts';

/** Summaries kept where none is as deep as was asked for: the newest of the deepest, up to this many tokens. */
const mostKeptTokens = 4_000;

/**
 * /new: the messages leave the context, and so do summaries below a depth; what was said before stays searchable. Where
 * nothing is that deep, the deepest there are stay, so that a chapter never begins without any memory.
 * retainDepth   0 keeps all summaries, -1 changes nothing
 */
export function newChapterPlan(
  view: TranscriptView,
  items: readonly ContextItem[],
  retainDepth: number,
): CompactionPlan {
  const summaries = items.filter((item) => item.kind === 'summary');
  const rows = retainDepth === -1 ? [] : view.rows;
  const kept = retainDepth === -1 ? summaries : keptSummaries(summaries, retainDepth);
  const stays = new Set(kept.map(({ node }) => node.id));
  const removeItems = summaries.map(({ node }) => node.id).filter((id) => !stays.has(id));
  const lastSeq = rows.at(-1)?.seq;
  const stayed = retainDepth === -1 ? items : kept;
  return {
    kind: 'plan',
    outcome: 'success',
    reason: 'none',
    archive: rows.map(({ id }) => id),
    write: [],
    state: stateChange({
      removeItems,
      ...(lastSeq === undefined ? {} : { boundarySeq: lastSeq + 1 }),
    }),
    summaryModel: null,
    figures: plainFigures({
      tokensBefore: tokensOf(items),
      tokensAfter: tokensOf(stayed),
      rowsBefore: items.length,
      rowsAfter: stayed.length,
      rowsArchived: rows.length,
    }),
  };
}

function keptSummaries(summaries: readonly SummaryItem[], retainDepth: number): readonly SummaryItem[] {
  const deep = summaries.filter(({ node }) => node.depth >= retainDepth);
  if (deep.length > 0 || summaries.length === 0) return deep;
  const deepest = Math.max(...summaries.map(({ node }) => node.depth));
  const newest: SummaryItem[] = [];
  let tokens = 0;
  for (const item of summaries.filter(({ node }) => node.depth === deepest).toReversed()) {
    tokens += item.tokens;
    if (newest.length > 0 && tokens > mostKeptTokens) break;
    newest.unshift(item);
  }
  return newest;
}

import {
  estimateTokens,
  type CompactionPlan,
  type NoPlan,
  type RowHeader,
  type Summariser,
} from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { previewPrice, type PreviewPrice } from './preview-price.ts';

/** Rows that would leave the prompt together, in the order of the conversation; `first` and `last` count from 1. */
export interface PreviewRange {
  first: number;
  last: number;
  firstRowId: number;
  lastRowId: number;
  rows: number;
  tokens: number;
}

/** What a compaction would do now. `summaryOutputTokens` is what the summary may have at most. */
export interface CompactionPreview {
  outcome: CompactionPlan['outcome'] | NoPlan['outcome'];
  reason: CompactionPlan['reason'];
  /** Why nothing would change; null when something would. */
  message: string | null;
  ranges: readonly PreviewRange[];
  rowsBefore: number;
  rowsAfter: number;
  tokensBefore: number;
  tokensBeforeSource: 'api' | 'estimate';
  tokensAfter: number;
  summaryModel: string;
  summaryCalls: number;
  summaryInputTokens: number;
  summaryOutputTokens: number;
  /** null when nothing would change. */
  price: PreviewPrice | null;
}

/**
 * Plan a compaction as /compress would and throw the plan away: nothing is written and no model is called. A stand-in
 * for the summariser weighs what it is asked and answers with a text of the longest length it may have.
 */
export async function previewCompaction(
  claimed: ClaimedSession,
  options: { focus?: string; signal: AbortSignal },
): Promise<CompactionPreview> {
  const state = claimed.state();
  const scales = standIn(claimed.deps.summariser);
  const plan = await claimed.engine.compress(
    claimed.view,
    {
      layer: 'manual',
      trigger: 'manual',
      mode: 'full',
      force: true,
      focus: options.focus,
      budget: state.budget,
      promptTokens: state.promptTokens,
      promptTokensSource: state.source,
    },
    { summariser: scales.summariser, clock: claimed.deps.clock, signal: options.signal },
  );
  const isPlan = plan.kind === 'plan';
  return {
    outcome: plan.outcome,
    reason: plan.reason,
    message: isPlan ? null : plan.message,
    ranges: isPlan ? rangesOf(claimed.view.rows, plan.archive) : [],
    rowsBefore: state.liveRows,
    rowsAfter: isPlan ? plan.figures.rowsAfter : state.liveRows,
    tokensBefore: state.promptTokens,
    tokensBeforeSource: state.source,
    tokensAfter: isPlan ? plan.figures.tokensAfter : state.promptTokens,
    summaryModel: scales.summariser.model,
    ...scales.weighed,
    price: isPlan ? priceOf(claimed, plan, scales.weighed) : null,
  };
}

function priceOf(
  claimed: ClaimedSession,
  plan: CompactionPlan,
  weighed: ReturnType<typeof standIn>['weighed'],
): PreviewPrice {
  const rereadTokens = Math.max(0, plan.figures.tokensAfter - stillCached(claimed, plan.archive));
  const { summariser, model } = claimed.deps;
  return previewPrice(
    { ...weighed, rereadTokens },
    { summary: summariser.pricePerMillion, main: model.info },
  );
}

/** Tokens before the first row that leaves: system prompt, tools and the beginning of the conversation. */
function stillCached(claimed: ClaimedSession, archive: readonly number[]): number {
  const { view, session } = claimed;
  const leaving = new Set(archive);
  const first = view.rows.findIndex((row) => leaving.has(row.id));
  const kept = view.rows.slice(0, first).reduce((sum, row) => sum + row.tokens, 0);
  return Math.round(claimed.budget().overheadTokens + kept * session.estimateRatio);
}

function standIn({ model, windowTokens }: Summariser) {
  const weighed = { summaryCalls: 0, summaryInputTokens: 0, summaryOutputTokens: 0 };
  const summariser: Summariser = {
    model,
    windowTokens,
    summarise({ system, prompt, targetTokens }) {
      weighed.summaryCalls += 1;
      weighed.summaryInputTokens += estimateTokens(system) + estimateTokens(prompt);
      weighed.summaryOutputTokens += targetTokens;
      return Promise.resolve({ kind: 'text', text: fillerOf(targetTokens), usage: null });
    },
  };
  return { summariser, weighed };
}

const line = '- something that was said\n';

function fillerOf(tokens: number): string {
  const lines = Math.floor((tokens - estimateTokens('## Goal\n')) / estimateTokens(line));
  return `## Goal\n${line.repeat(Math.max(1, lines))}`;
}

function rangesOf(rows: readonly RowHeader[], archive: readonly number[]): PreviewRange[] {
  const leaving = new Set(archive);
  const ranges: PreviewRange[] = [];
  for (const [index, row] of rows.entries()) {
    if (!leaving.has(row.id)) continue;
    const open = ranges.at(-1);
    if (open?.last === index) {
      open.last += 1;
      open.lastRowId = row.id;
      open.rows += 1;
      open.tokens += row.tokens;
    } else {
      const place = index + 1;
      ranges.push({
        first: place,
        last: place,
        firstRowId: row.id,
        lastRowId: row.id,
        rows: 1,
        tokens: row.tokens,
      });
    }
  }
  return ranges;
}

import {
  estimateTokens,
  type CompressRequest,
  type Config,
  type ModelInfo,
  type PromptBudget,
  type RowHeader,
  type Session,
} from '@palimpsest/core';
import { leanCaps } from './lean-summary.ts';
import { resolveTrigger } from './resolve-threshold.ts';
import { summaryCapTokens } from './summary-budget.ts';
import { wrapSummary } from './summary-text.ts';
import { leanTailTokens, legacyTailTokens } from './tail-budget.ts';

/** Sizes that one compaction is planned with; tokens are real ones unless they are called estimated. */
export interface Sizes {
  windowTokens: number;
  triggerTokens: number;
  prepareTokens: number;
  hardLimitTokens: number;
  overheadTokens: number;
  promptTokens: number;
  /** Real tokens of one estimated token of the rows, 0.5 … 2. */
  scale: number;
  /** Estimated sum over all live rows. */
  liveEstimate: number;
  tailTokens: number;
  /**
   * Lean plans made ahead: tokens that will have come behind their tail by the time they are applied, at the trigger. Tail
   * and row floor are met by them too; without this a plan of a small window saves too little by then.
   */
  toComeTokens: number;
  /** Most tokens of what the model writes, and of the summary's row with all its parts. */
  summaryCapTokens: number;
  summaryRowTokens: number;
}

export interface Limits {
  triggerTokens: number;
  prepareTokens: number;
  hardLimitTokens: number;
}

/** The three borders of a session's prompt. */
export function limitsOf(config: Config, model: ModelInfo, budget: PromptBudget): Limits {
  const { triggerTokens } = resolveTrigger({
    windowTokens: budget.windowTokens,
    config: config.compression,
    model,
    maxTokensFromConfig: config.model.max_tokens,
    codexAutoraise: config.compression.codex_gpt55_autoraise,
  });
  const hardLimitTokens = Math.max(1, budget.windowTokens - budget.outputReserveTokens);
  return {
    triggerTokens,
    prepareTokens: Math.floor(triggerTokens * config.compression.background_at),
    hardLimitTokens,
  };
}

/** Role, prefix and end mark of a summary row. */
export const wrapTokens = estimateTokens(wrapSummary('')) + 8;

export function measure(
  rows: readonly RowHeader[],
  request: Pick<CompressRequest, 'budget' | 'promptTokens' | 'promptTokensSource' | 'layer'>,
  from: { config: Config; model: ModelInfo; session: Session },
): Sizes {
  const { budget, promptTokens } = request;
  const { triggerTokens, prepareTokens, hardLimitTokens } = limitsOf(from.config, from.model, budget);
  const liveEstimate = rows.reduce((sum, row) => sum + row.tokens, 0);
  const capTokens = summaryCapTokens(budget.windowTokens);
  const scale = scaleOf(request, liveEstimate, from.session);
  const isLean = from.config.compression.tail_mode === 'lean';
  const partsTokens = isLean ? leanCaps(budget.windowTokens, scale).total * Math.max(1, scale) : 0;
  return {
    windowTokens: budget.windowTokens,
    triggerTokens,
    prepareTokens,
    hardLimitTokens,
    overheadTokens: budget.overheadTokens,
    promptTokens,
    scale,
    liveEstimate,
    tailTokens: isLean
      ? leanTailTokens(budget.windowTokens)
      : legacyTailTokens({
          triggerTokens,
          targetRatio: from.config.compression.target_ratio,
          windowTokens: budget.windowTokens,
        }),
    toComeTokens: isLean && request.layer === 'background' ? Math.max(0, triggerTokens - promptTokens) : 0,
    summaryCapTokens: capTokens,
    summaryRowTokens: Math.ceil(capTokens + wrapTokens + partsTokens),
  };
}

/** Below this the rows say nothing about the ratio. */
const tellingTokens = 500;

/** The provider's count tells what the rows really cost; without one the session's learned ratio does. */
function scaleOf(
  request: Pick<CompressRequest, 'budget' | 'promptTokens' | 'promptTokensSource'>,
  liveEstimate: number,
  session: Session,
): number {
  const isCounted = request.promptTokensSource === 'api' && liveEstimate >= tellingTokens;
  const ratio = isCounted
    ? (request.promptTokens - request.budget.overheadTokens) / liveEstimate
    : session.estimateRatio;
  return Number.isFinite(ratio) ? Math.min(2, Math.max(0.5, ratio)) : 1;
}

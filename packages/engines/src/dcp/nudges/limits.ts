import type { ModelInfo, PromptBudget } from '@palimpsest/core';
import type { DcpConfig } from '../compress/ground.ts';

type Limit = number | string;

/** Sizes between which the model is asked to compress, in tokens of the prompt. */
export interface NudgeLimits {
  minTokens: number;
  maxTokens: number;
}

/** Absolute limits meant for large windows are drawn down to these shares of a small one. */
const mostMaxShare = 0.75;
const mostMinShare = 0.5;
/** From here on hygiene acts by itself; a limit above it would never be heard. */
const hygieneShare = 0.85;

/**
 * The limits of a model. Percent are of the full window, rounded, clamped to 0–100. Summaries of blocks in force raise
 * the upper one, so that a session that compressed well is not asked again because of what compressing left.
 * returns   null where the window is not known
 */
export function nudgeLimits(input: {
  config: DcpConfig;
  model: Pick<ModelInfo, 'provider' | 'name' | 'label'>;
  budget: PromptBudget;
  summaryTokens: number;
}): NudgeLimits | null {
  const { config, model, budget, summaryTokens } = input;
  const { windowTokens, outputReserveTokens } = budget;
  if (windowTokens <= 0) return null;
  const { compress } = config;
  const most = ofModel(compress.modelMaxLimits, model) ?? compress.maxContextLimit;
  const least = ofModel(compress.modelMinLimits, model) ?? compress.minContextLimit;
  const ceiling = Math.min(windowTokens - outputReserveTokens, Math.floor(windowTokens * hygieneShare)) - 1;
  const buffer = compress.summaryBuffer ? summaryTokens : 0;
  const maxTokens = Math.min(inTokens(most, windowTokens, mostMaxShare) + buffer, ceiling);
  return { maxTokens, minTokens: Math.min(inTokens(least, windowTokens, mostMinShare), maxTokens) };
}

/** The exact provider/model first, then the name alone. */
function ofModel(
  limits: Readonly<Record<string, Limit>>,
  { provider, name, label }: Pick<ModelInfo, 'provider' | 'name' | 'label'>,
): Limit | undefined {
  for (const key of [label, `${provider}/${name}`, name]) if (Object.hasOwn(limits, key)) return limits[key];
  return undefined;
}

function inTokens(limit: Limit, windowTokens: number, mostShare: number): number {
  if (typeof limit === 'number') return Math.min(limit, Math.floor(windowTokens * mostShare));
  const percent = Math.min(100, Math.max(0, Number.parseFloat(limit)));
  return Math.round((percent / 100) * windowTokens);
}

import type { CompressionConfig } from '@palimpsest/core';

/** The keys of `compression` that decide the trigger. */
export type ThresholdConfig = Pick<
  CompressionConfig,
  'threshold' | 'model_thresholds' | 'small_context_floor' | 'threshold_tokens' | 'minimum_trigger_tokens'
>;

export interface ThresholdInput {
  windowTokens: number;
  config: ThresholdConfig;
  model: { provider: string; name: string };
  /** Only a `max_tokens` that the operator wrote; never what a wire format requires. */
  maxTokensFromConfig: number | null;
  /** `compression.codex_gpt55_autoraise`; false leaves the 272K names of Codex at the global threshold. */
  codexAutoraise?: boolean;
}

export interface ResolvedTrigger {
  /** Compaction at prompt tokens >= this; 1 … window. */
  triggerTokens: number;
  /** The share it came from, floors included. */
  threshold: number;
  source: 'threshold' | 'model_thresholds' | 'small_context_floor' | 'codex_autoraise';
}

/** No trigger above this share of the window comes from a minimum or from a share of 1. */
const largestShare = 0.85;
/** These base names on the Codex route, at this window, compact at 85 %. */
const codexWindowTokens = 272_000;
const codexBaseNames = ['gpt-5.4', 'gpt-5.5', 'gpt-5.6', 'gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna'];

/**
 * Where compaction starts for a model: the global share, a share by model name, the floor of small windows, then the
 * absolute cap and minimum.
 */
export function resolveTrigger(input: ThresholdInput): ResolvedTrigger {
  const { windowTokens, config } = input;
  const share = resolveShare(input);
  const room = windowTokens - (input.maxTokensFromConfig ?? 0);
  const wanted = shareOf(room > 0 ? room : windowTokens, share.threshold);
  const raised = raiseToMinimum(wanted, config.minimum_trigger_tokens, windowTokens);
  const within =
    raised >= windowTokens ? Math.min(shareOf(windowTokens, largestShare), windowTokens - 1) : raised;
  const capped =
    config.threshold_tokens === null ? within : Math.min(within, config.threshold_tokens, windowTokens);
  return { ...share, triggerTokens: Math.max(1, capped) };
}

/** Whole tokens of a share; binary fractions just under a whole number count as that number. */
export function shareOf(tokens: number, share: number): number {
  return Math.floor(tokens * share + 1e-6);
}

function resolveShare(input: ThresholdInput): Omit<ResolvedTrigger, 'triggerTokens'> {
  const { config, windowTokens, model } = input;
  const ofModel = matchModelThreshold(config.model_thresholds, model);
  const threshold = ofModel ?? config.threshold;
  if (isRaisedCodexName(input) && threshold < largestShare)
    return { threshold: largestShare, source: 'codex_autoraise' };
  const floor = config.small_context_floor;
  if (floor && windowTokens < floor.below && threshold < floor.threshold) {
    return { threshold: floor.threshold, source: 'small_context_floor' };
  }
  return { threshold, source: ofModel === null ? 'threshold' : 'model_thresholds' };
}

/** Longest matching key wins; `provider:part` applies to that provider only and beats a bare key of the same length. */
function matchModelThreshold(
  thresholds: Readonly<Record<string, number>>,
  model: { provider: string; name: string },
): number | null {
  const name = model.name.toLowerCase();
  const scope = `${model.provider.toLowerCase()}:`;
  let best: { weight: number; threshold: number } | null = null;
  for (const [key, threshold] of Object.entries(thresholds)) {
    const wanted = key.toLowerCase();
    const scoped = wanted.startsWith(scope);
    const part = scoped ? wanted.slice(scope.length) : wanted;
    if (part === '' || !name.includes(part)) continue;
    const weight = part.length * 2 + (scoped ? 1 : 0);
    if (!best || weight > best.weight) best = { weight, threshold };
  }
  return best?.threshold ?? null;
}

/** A minimum that passes 85 % of the window yields to it; an explicit share above 85 % stays. */
function raiseToMinimum(wanted: number, minimumTokens: number, windowTokens: number): number {
  if (wanted >= minimumTokens) return wanted;
  const largest = shareOf(windowTokens, largestShare);
  return minimumTokens > largest ? Math.max(wanted, largest) : minimumTokens;
}

function isRaisedCodexName(input: ThresholdInput): boolean {
  if (input.codexAutoraise === false || input.model.provider !== 'openai-codex') return false;
  return input.windowTokens === codexWindowTokens && codexBaseNames.includes(input.model.name.toLowerCase());
}

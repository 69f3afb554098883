import type { LcmConfig } from '@palimpsest/core';
import { matchesPattern } from './session-pattern.ts';

type Rule = LcmConfig['context_threshold_overrides'][number];

export interface OverrideInput {
  model: string;
  sessionId: string;
  windowTokens: number;
}

export interface Overridden {
  context_threshold: number;
  fresh_tail_count: number;
  leaf_chunk_tokens: number;
  /** What a debt says about where its threshold came from. */
  source: string;
}

/** A matcher weighs more the more it says: a model, a session, a border of the window. */
const weights = { model: 100, session: 50, window: 20 };

/** The sizes of the settings, or of the most specific rule whose matchers all agree; of equals the first. */
export function applyOverrides(config: LcmConfig, input: OverrideInput): Overridden {
  const { context_threshold, fresh_tail_count, leaf_chunk_tokens } = config;
  const usual = { context_threshold, fresh_tail_count, leaf_chunk_tokens };
  let best: { rule: Rule; index: number; weight: number } | null = null;
  for (const [index, rule] of config.context_threshold_overrides.entries()) {
    const weight = weightOf(rule, input);
    if (weight !== null && (best === null || weight > best.weight)) best = { rule, index, weight };
  }
  if (best === null) return { ...usual, source: 'context_threshold' };
  const set = Object.entries(best.rule).filter(([key, value]) => key in usual && value !== undefined);
  return { ...usual, ...Object.fromEntries(set), source: `context_threshold_overrides[${best.index}]` };
}

/** Null where a matcher does not agree. */
function weightOf(rule: Rule, { model, sessionId, windowTokens }: OverrideInput): number | null {
  let weight = 0;
  if (rule.model !== undefined) {
    if (!model.toLowerCase().includes(rule.model.toLowerCase())) return null;
    weight += weights.model;
  }
  if (rule.session !== undefined) {
    if (!matchesPattern(sessionId, [rule.session])) return null;
    weight += weights.session;
  }
  if (rule.min_window_tokens !== undefined) {
    if (windowTokens < rule.min_window_tokens) return null;
    weight += weights.window;
  }
  if (rule.max_window_tokens !== undefined) {
    if (windowTokens > rule.max_window_tokens) return null;
    weight += weights.window;
  }
  return weight;
}

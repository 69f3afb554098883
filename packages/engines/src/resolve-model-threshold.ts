import type { Config, ModelInfo } from '@palimpsest/core';
import { resolveTrigger, type ResolvedTrigger } from './compressor/resolve-threshold.ts';

/**
 * Where the built-in engine would compact for a model, by the config: for plug-in engines that want the same border.
 *
 * returns  tokens of the prompt, the share of the window they come from, and which key decided
 */
export function resolveModelThreshold(
  model: Pick<ModelInfo, 'provider' | 'name' | 'windowTokens'>,
  config: Pick<Config, 'compression' | 'model'>,
): ResolvedTrigger {
  return resolveTrigger({
    windowTokens: model.windowTokens,
    config: config.compression,
    model,
    maxTokensFromConfig: config.model.max_tokens,
    codexAutoraise: config.compression.codex_gpt55_autoraise,
  });
}

import type { Config, ModelInfo, ModelPrice } from '@palimpsest/core';

import { codexModel } from '../codex-sign-in/codex-models.ts';
import type { CachePolicy } from '../prompt-cache/cache-policy.ts';
import { issuerOf } from '../route.ts';
import type { ProviderName } from '../route.ts';
import { modelFacts, takesImages } from './model-table.ts';
import type { ModelFacts } from './model-table.ts';

type KnownModel = Config['model']['table'][string];

/** What a route is known by, before its window and price are. */
export interface InfoInput {
  provider: ProviderName;
  model: string;
  baseUrl: string;
  apiKey: string;
  /** Of the config; null: look it up. */
  windowTokens: number | null;
  cache: CachePolicy | null;
}

/**
 * What is known of a model on a route. The operator's word wins over our table; what the server itself says comes between
 * the two, when it has been asked (see `withReported`). Nothing known: 128,000 tokens, source `default`.
 */
export function modelInfoOf(input: InfoInput, config: Config): ModelInfo {
  const { provider, model, baseUrl, apiKey, cache } = input;
  const facts = modelFacts(model);
  const known = config.model.table[model];
  const { windowTokens, windowSource } = windowOf(input, { facts, known });
  const price = priceOf(input, { facts, known });
  return {
    provider,
    name: model,
    label: `${provider}/${model}`,
    windowTokens,
    windowSource,
    maxOutputTokens: Math.min(known?.max_output_tokens ?? facts.maxOutputTokens, windowTokens),
    issuer: issuerOf({ provider, baseUrl, apiKey, family: facts.family }),
    caching: cache?.label ?? null,
    ...((known?.images ?? takesImages(facts)) ? { takesImages: true as const } : {}),
    ...(price ? { pricePerMillion: price } : {}),
  };
}

interface Known {
  facts: ModelFacts;
  known: KnownModel | undefined;
}

function windowOf(
  { provider, model, windowTokens }: InfoInput,
  { facts, known }: Known,
): Pick<ModelInfo, 'windowTokens' | 'windowSource'> {
  const said = windowTokens ?? known?.context_length ?? null;
  if (said !== null) return { windowTokens: said, windowSource: 'config' };
  if (provider === 'openai-codex')
    return { windowTokens: codexModel(model).windowTokens, windowSource: 'table' };
  return { windowTokens: facts.windowTokens, windowSource: facts.source };
}

/** An hour's mark costs twice the input, and five minutes' a quarter more. */
const hourlyWriteTimes = 2;

/** A server of one's own asks its own price: our table's is the maker's. */
function priceOf({ provider, cache }: InfoInput, { facts, known }: Known): ModelPrice | null {
  if (known?.price) {
    const { input, output, cache_read, cache_write } = known.price;
    return { input, output, cacheRead: cache_read ?? input, cacheWrite: cache_write ?? input };
  }
  if (provider === 'custom' || facts.price === null) return null;
  const isHourly = facts.maker === 'Anthropic' && cache?.messageTtl === '1h';
  return isHourly ? { ...facts.price, cacheWrite: facts.price.input * hourlyWriteTimes } : facts.price;
}

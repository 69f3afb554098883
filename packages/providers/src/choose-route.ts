import { GatewayError } from '@palimpsest/core';
import type { Config, ModelInfo } from '@palimpsest/core';

import { codexModel } from './codex-sign-in/codex-models.ts';
import { modelInfoOf } from './models/model-info.ts';
import { isClaude, modelFacts } from './models/model-table.ts';
import { mayCompactNatively } from './openai-responses/native-compaction.ts';
import { cachePolicyOf, isCachingOff } from './prompt-cache/cache-policy.ts';
import type { ProviderName, Route, Wire } from './route.ts';

/** Secrets from the environment; never logged. */
export interface ModelKeys {
  anthropic?: string;
  openai?: string;
  openrouter?: string;
  nous?: string;
  custom?: string;
  /** Folder of the Codex CLI with its sign-in; left out: `.codex` in the home folder. */
  codexHome?: string;
  /** What the Codex program may see of the environment beside that folder. */
  codexEnvironment?: Readonly<Record<string, string>>;
}

export type RouteChoice = { kind: 'route'; route: Route } | { kind: 'offline'; info: ModelInfo };

interface ProviderFacts {
  label: string;
  baseUrl: string | null;
  keyName: string;
  defaultModel: string | null;
}

const providers: Record<ProviderName, ProviderFacts> = {
  anthropic: {
    label: 'Anthropic',
    baseUrl: 'https://api.anthropic.com',
    keyName: 'ANTHROPIC_API_KEY',
    defaultModel: 'claude-sonnet-5',
  },
  openai: {
    label: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keyName: 'OPENAI_API_KEY',
    defaultModel: 'gpt-5.5',
  },
  'openai-codex': {
    label: 'Codex',
    baseUrl: 'https://chatgpt.com/backend-api/codex',
    keyName: '',
    defaultModel: 'gpt-5.5',
  },
  openrouter: {
    label: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyName: 'OPENROUTER_API_KEY',
    defaultModel: 'anthropic/claude-sonnet-5',
  },
  nous: { label: 'Nous', baseUrl: null, keyName: 'NOUS_API_KEY', defaultModel: null },
  custom: { label: 'the custom model server', baseUrl: null, keyName: 'CUSTOM_API_KEY', defaultModel: null },
};

/** Servers whose address stands in the config may need no key; Codex has a sign-in instead. */
const mayBeOpen: ReadonlySet<ProviderName> = new Set(['nous', 'custom', 'openai-codex']);

/** Order in which a set key decides, where the config says `auto`. */
const autoOrder = ['anthropic', 'openrouter', 'openai'] as const;

/** What of the config a route is made from. */
interface Wanted {
  provider: ProviderName;
  model: string | null;
  baseUrl: string | null;
  apiMode: Config['model']['api_mode'];
  /** From the config; null: the table's. */
  windowTokens: number | null;
}

export function chooseMainRoute(config: Config, keys: ModelKeys): RouteChoice {
  const { provider, name, base_url, api_mode, context_length } = config.model;
  const chosen = provider === 'auto' ? autoProvider(config, keys) : provider;
  if (chosen === 'offline') return { kind: 'offline', info: offlineInfo(context_length) };
  return toRoute(
    { provider: chosen, model: name, baseUrl: base_url, apiMode: api_mode, windowTokens: context_length },
    config,
    keys,
  );
}

function autoProvider(config: Config, keys: ModelKeys): ProviderName | 'offline' {
  const withKey = autoOrder.find((provider) => keys[provider]);
  if (withKey) return withKey;
  return config.model.base_url && config.model.name ? 'custom' : 'offline';
}

/**
 * The summariser's route. `main` when nothing is configured, or when no key serves the configured model.
 * Order: base_url → named provider → (auto) the provider that serves the model → main.
 */
export function chooseSummaryRoute(config: Config, keys: ModelKeys, main: ModelInfo): RouteChoice | 'main' {
  const { model, provider, base_url } = config.auxiliary.compression;
  const wanted = { model: model ?? main.name, windowTokens: null, apiMode: 'auto' as const, baseUrl: null };
  if (base_url) {
    const serving = provider === 'nous' ? provider : 'custom';
    return toRoute({ ...wanted, provider: serving, baseUrl: base_url }, config, keys);
  }
  switch (provider) {
    case 'auto': {
      if (model === null) return 'main';
      const serving = servingProvider(model, keys);
      return serving && serving !== main.provider
        ? toRoute({ ...wanted, provider: serving }, config, keys)
        : onMainRoute(model, { config, keys, main });
    }
    case 'main':
      return model === null ? 'main' : onMainRoute(model, { config, keys, main });
    case 'nous':
      throw invalid(
        'auxiliary.compression.base_url is not set; provider nous needs the address of its OpenAI-compatible server',
      );
    default:
      return toRoute(
        { ...wanted, provider, baseUrl: provider === 'custom' ? config.model.base_url : null },
        config,
        keys,
      );
  }
}

/** The main provider, address and wire with another model. */
function onMainRoute(
  model: string,
  { config, keys, main }: { config: Config; keys: ModelKeys; main: ModelInfo },
): RouteChoice | 'main' {
  if (main.provider === 'offline' || model === main.name) return 'main';
  return chooseMainRoute({ ...config, model: { ...config.model, name: model, context_length: null } }, keys);
}

/**
 * The route of a model that a person named: where the main provider serves it too, there; else where a key does.
 * `provider:name` says where. Null: nobody we have a key for is known to serve it.
 * throws config_invalid when the named provider has no key
 */
export function chooseNamedRoute(
  name: string,
  { config, keys, main }: { config: Config; keys: ModelKeys; main: ModelInfo },
): RouteChoice | null {
  const wanted = { windowTokens: null, apiMode: 'auto' as const, baseUrl: null };
  const [, prefix, rest] = /^([a-z-]+):(.+)$/.exec(name) ?? [];
  const named = namedProviders.find((provider) => provider === prefix);
  if (named && rest && named !== main.provider)
    return toRoute({ ...wanted, provider: named, model: rest }, config, keys);
  const model = named && rest ? rest : name;
  if (named === main.provider || servesToo(main.provider, model)) {
    const { provider } = main;
    const known = { ...config.model, provider: config.model.provider, name: model, context_length: null };
    return provider === 'offline' ? null : chooseMainRoute({ ...config, model: known }, keys);
  }
  const serving = servingProvider(model, keys);
  return serving ? toRoute({ ...wanted, provider: serving, model }, config, keys) : null;
}

/** Those whose address we know. */
const namedProviders = ['anthropic', 'openai', 'openrouter', 'openai-codex'] as const;

/** Would the main provider be asked for such a model? Servers of one's own may have anything. */
function servesToo(provider: string, model: string): boolean {
  switch (provider) {
    case 'anthropic':
      return isClaude(model) && !model.includes('/');
    case 'openai':
    case 'openai-codex':
      return /^(gpt-|o\d|chatgpt)/.test(model.toLowerCase()) && !model.startsWith('gpt-oss');
    case 'openrouter':
      return model.includes('/');
    default:
      return provider !== 'offline';
  }
}

/** Whose own model this is, or OpenRouter for `vendor/model` names; null when its key is missing. */
function servingProvider(model: string, keys: ModelKeys): ProviderName | null {
  if (model.includes('/')) return keys.openrouter ? 'openrouter' : null;
  if (isClaude(model)) return keys.anthropic ? 'anthropic' : null;
  return /^(gpt-|o\d|chatgpt)/.test(model.toLowerCase()) && !model.startsWith('gpt-oss') && keys.openai
    ? 'openai'
    : null;
}

function toRoute(wanted: Wanted, config: Config, keys: ModelKeys): RouteChoice {
  const facts = providers[wanted.provider];
  const model = wanted.model ?? facts.defaultModel;
  const baseUrl = wanted.baseUrl ?? facts.baseUrl;
  const apiKey = wanted.provider === 'openai-codex' ? '' : (keys[wanted.provider] ?? '');
  if (!model)
    throw invalid(`model.name is not set; provider ${wanted.provider} has no default model: name one`);
  if (!baseUrl)
    throw invalid(`model.base_url is not set; provider ${wanted.provider} needs the address of its server`);
  if (apiKey === '' && !mayBeOpen.has(wanted.provider)) {
    throw invalid(
      `model provider ${wanted.provider} needs a key; ${facts.keyName} is not set: set it or choose another provider`,
    );
  }
  const wire = wireOf(wanted);
  const { provider } = wanted;
  const seen = { provider, wire, baseUrl, model, providerLabel: facts.label };
  const cache = cachePolicyOf(seen, config.prompt_caching);
  const info = modelInfoOf(
    { provider, model, baseUrl, apiKey, windowTokens: wanted.windowTokens, cache },
    config,
  );
  // A server of one's own may need no key; the SDKs insist on a text.
  return {
    kind: 'route',
    route: {
      provider: wanted.provider,
      providerLabel: facts.label,
      wire,
      baseUrl,
      apiKey: apiKey || 'none',
      model,
      wireModel: wanted.provider === 'openai-codex' ? codexModel(model).wireName : model,
      nativeCompaction: nativeOf({ provider: wanted.provider, baseUrl, model }, config),
      cache,
      info: isCachingOff(seen, config.prompt_caching) ? { ...info, cachingOff: true } : info,
    },
  };
}

/** Which wires a provider speaks; the first is its own. */
function wiresOf(provider: ProviderName): readonly Wire[] {
  switch (provider) {
    case 'anthropic':
      return ['anthropic_messages', 'chat_completions'];
    case 'openai-codex':
      return ['codex_responses', 'codex_app_server'];
    default:
      return ['chat_completions', 'responses', 'anthropic_messages'];
  }
}

function wireOf({ apiMode, provider }: Wanted): Wire {
  const wires = wiresOf(provider);
  const wire = apiMode === 'auto' ? wires[0] : wires.find((known) => known === apiMode);
  if (wire) return wire;
  throw invalid(
    `model.api_mode is ${apiMode}, which provider ${provider} does not speak; allowed: auto, ${wires.join(', ')}`,
  );
}

/** Opt-in, and only where the provider, the host and the model are known to do it. */
function nativeOf(
  route: { provider: ProviderName; baseUrl: string; model: string },
  { compression }: Config,
): Route['nativeCompaction'] {
  if (!compression.enabled || !compression.codex_responses_native || !mayCompactNatively(route)) return null;
  return { thresholdTokens: compression.codex_responses_compact_threshold };
}

function offlineInfo(contextLength: number | null): ModelInfo {
  const { windowTokens, maxOutputTokens, family } = modelFacts('offline-responder');
  return {
    provider: 'offline',
    name: family,
    label: 'offline responder',
    windowTokens: contextLength ?? windowTokens,
    windowSource: contextLength === null ? 'table' : 'config',
    maxOutputTokens,
    issuer: 'offline',
    caching: null,
  };
}

function invalid(message: string): GatewayError {
  return new GatewayError('config_invalid', message);
}

/** Which models the lossless engine asks beside the main one, as `context.lcm` names them. */
import { GatewayError, systemClock, type Config, type ModelClient, type Summariser } from '@palimpsest/core';
import {
  createSummariser,
  createSummaryModel,
  type ModelInput,
  type SummariserOptions,
} from '@palimpsest/providers';

type SummaryProvider = Config['auxiliary']['compression']['provider'];

const summaryProviders: readonly SummaryProvider[] = [
  'auto',
  'main',
  'openrouter',
  'nous',
  'anthropic',
  'openai',
  'custom',
];

/**
 * Under this engine `summary_provider` and `summary_model` take the place of `auxiliary.compression`; empty ones do not.
 * throws config_invalid for a provider that serves no summaries
 */
export function withSummaryRoute(config: Config): Config {
  const { engine, lcm } = config.context;
  if (engine !== 'lcm' || (lcm.summary_model === '' && lcm.summary_provider === '')) return config;
  return withRoute(config, { provider: lcm.summary_provider, model: lcm.summary_model });
}

interface Named {
  provider: string;
  model: string;
}

function withRoute(config: Config, { provider, model }: Named): Config {
  const known = summaryProviders.find((name) => name === (provider || 'auto'));
  if (!known)
    throw new GatewayError(
      'config_invalid',
      `context.lcm names the provider ${JSON.stringify(provider)}; allowed: ${summaryProviders.join(', ')}.`,
    );
  const compression = { ...config.auxiliary.compression, provider: known, model: model || null };
  return { ...config, auxiliary: { ...config.auxiliary, compression } };
}

export interface LcmModels {
  /** `fallback_providers`, in order. */
  fallbacks: readonly Summariser[];
  /** `expansion_provider` and `expansion_model`; else whoever writes summaries. */
  reader: Summariser;
}

/** throws config_invalid for an entry that is no `provider/model`, or whose provider has no key */
export function lcmModels(
  settings: Pick<ModelInput, 'config' | 'keys'>,
  usual: { main: ModelClient; summariser: Summariser },
  limits: SummariserOptions,
): LcmModels {
  const { lcm } = settings.config.context;
  const open = (named: Named): Summariser => {
    const config = withRoute(settings.config, named);
    const input = { config, keys: settings.keys, clock: systemClock, random: Math.random, main: usual.main };
    return createSummariser(createSummaryModel(input), limits);
  };
  const isExpansionNamed = lcm.expansion_model !== '' || lcm.expansion_provider !== '';
  return {
    fallbacks: lcm.fallback_providers.map((entry) => open(parse(entry))),
    reader: isExpansionNamed
      ? open({ provider: lcm.expansion_provider, model: lcm.expansion_model })
      : usual.summariser,
  };
}

function parse(entry: string): Named {
  const slash = entry.indexOf('/');
  if (slash > 0 && slash < entry.length - 1)
    return { provider: entry.slice(0, slash), model: entry.slice(slash + 1) };
  throw new GatewayError(
    'config_invalid',
    `context.lcm.fallback_providers holds ${JSON.stringify(entry)}; provider/model is needed.`,
  );
}

import type { Config } from '@palimpsest/core';

import { isClaude, modelFacts } from '../models/model-table.ts';
import type { CacheTtl } from './cache-control.ts';
import type { CacheLayout } from './choose-marks.ts';

/**
 * How marks are sent on a route, whoever serves it.
 * native: on blocks of Anthropic's wire · envelope: on content parts of the chat format · breakpoints: OpenAI's own
 */
export interface CachePolicy {
  style: 'native' | 'envelope' | 'breakpoints';
  layout: CacheLayout;
  /** Life of the marks on tools and system prompt; never shorter than the messages', which the wire refuses. */
  systemTtl: CacheTtl;
  messageTtl: CacheTtl;
  /** May a tool's result carry a mark? */
  markToolRows: boolean;
  /** A prefix below this is not cached, tokens; null: not known. */
  minimumTokens: number | null;
  /** What people read: `Claude via OpenRouter, 5m TTL`. */
  label: string;
}

/** What a rule looks at. */
export interface CachedRoute {
  provider: string;
  wire: string;
  baseUrl: string;
  model: string;
  /** Of the provider, for people. */
  providerLabel: string;
}

interface CacheRule {
  style: CachePolicy['style'] | 'none';
  provider?: string;
  wire?: 'anthropic_messages' | 'chat_completions';
  host?: RegExp;
  model: RegExp;
  /** Marks live no longer than this there. */
  longest?: CacheTtl;
  toolRows?: false;
}

const claude = /(^|[^a-z])claude/;
const alibaba = /dashscope|aliyuncs|alibaba/;

/** Who takes marks, first match wins; what no rule names gets none. */
const rules: readonly CacheRule[] = [
  { style: 'none', model: /minimax-m3/ },
  { style: 'native', provider: 'anthropic', wire: 'anthropic_messages', model: claude },
  { style: 'envelope', provider: 'openrouter', wire: 'chat_completions', model: /claude|kimi/ },
  { style: 'envelope', provider: 'nous', wire: 'chat_completions', model: /claude|kimi/ },
  { style: 'envelope', host: /nousresearch/, wire: 'chat_completions', model: /claude|kimi/ },
  { style: 'envelope', provider: 'nous', wire: 'chat_completions', model: /qwen/, longest: '5m' },
  { style: 'envelope', host: /nousresearch/, wire: 'chat_completions', model: /qwen/, longest: '5m' },
  { style: 'native', wire: 'anthropic_messages', model: claude },
  { style: 'envelope', host: /litellm/, wire: 'chat_completions', model: claude, toolRows: false },
  { style: 'native', wire: 'anthropic_messages', model: /minimax-m2/ },
  { style: 'envelope', host: alibaba, wire: 'chat_completions', model: /qwen/, longest: '5m' },
  { style: 'native', host: alibaba, wire: 'anthropic_messages', model: /qwen/, longest: '5m' },
];

/** OpenAI's models that take breakpoints on content parts. */
const breakpointModels = /^gpt-(5\.[6-9]|[6-9])/;

/** What the operator declares of a server of their own. */
const declared = {
  native: { style: 'native', model: /./ },
  envelope: { style: 'envelope', model: /./ },
  litellm: { style: 'envelope', model: /./, toolRows: false },
  none: { style: 'none', model: /./ },
} as const satisfies Record<string, CacheRule>;

/** The marks of a route; null: none are sent, and what is cached is the provider's business. */
export function cachePolicyOf(route: CachedRoute, config: Config['prompt_caching']): CachePolicy | null {
  const ttl = wantedTtl(config);
  if (ttl === null) return null;
  const rule = ruleFor(route, config);
  if (!rule || rule.style === 'none') return null;
  const longest = (wanted: CacheTtl): CacheTtl => (rule.longest === '5m' ? '5m' : wanted);
  const messageTtl = longest(ttl);
  const systemTtl = messageTtl === '1h' ? '1h' : longest(config.system_ttl ?? ttl);
  const lives = systemTtl === messageTtl ? `${messageTtl} TTL` : `${messageTtl} TTL, system ${systemTtl}`;
  return {
    style: rule.style,
    layout: layoutOn(rule.style, config.layout),
    systemTtl,
    messageTtl,
    markToolRows: rule.toolRows !== false,
    minimumTokens: modelFacts(route.model).cacheMinimumTokens,
    label:
      rule.style === 'breakpoints'
        ? `${nameOf(route.model)} via ${route.providerLabel}, breakpoints`
        : `${nameOf(route.model)} via ${route.providerLabel}, ${lives}`,
  };
}

/** Would the route take marks, while the config wants none? */
export function isCachingOff(route: CachedRoute, config: Config['prompt_caching']): boolean {
  return wantedTtl(config) === null && cachePolicyOf(route, { ...config, cache_ttl: '5m' }) !== null;
}

function wantedTtl({ cache_ttl: ttl }: Config['prompt_caching']): CacheTtl | null {
  return ttl === 'off' ? null : ttl;
}

function ruleFor(route: CachedRoute, config: Config['prompt_caching']): CacheRule | undefined {
  if (route.provider === 'custom' && config.custom_server !== 'auto') {
    const rule: CacheRule = declared[config.custom_server];
    return fitsWire(rule, route.wire) ? rule : undefined;
  }
  if (config.openai_breakpoints && takesBreakpoints(route)) return { style: 'breakpoints', model: /./ };
  const model = route.model.toLowerCase();
  const { host } = new URL(route.baseUrl);
  return rules.find(
    (rule) =>
      (rule.provider === undefined || rule.provider === route.provider) &&
      (rule.wire === undefined || rule.wire === route.wire) &&
      (rule.host === undefined || rule.host.test(host)) &&
      rule.model.test(model),
  );
}

function takesBreakpoints({ provider, wire, model }: CachedRoute): boolean {
  return provider === 'openai' && wire === 'chat_completions' && breakpointModels.test(model.toLowerCase());
}

function fitsWire({ style }: CacheRule, wire: string): boolean {
  if (style === 'none') return true;
  return wire === (style === 'native' ? 'anthropic_messages' : 'chat_completions');
}

/** Only Anthropic's wire has marks on tools and marks of its own; the chat format has two kinds of blocks. */
function layoutOn(style: CachePolicy['style'], wanted: CacheLayout): CacheLayout {
  const isNativeOnly = wanted === 'native_tools' || wanted === 'automatic';
  return isNativeOnly && style !== 'native' ? 'system_and_3' : wanted;
}

function nameOf(model: string): string {
  if (isClaude(model)) return 'Claude';
  return model.replace(/^.*\//, '');
}

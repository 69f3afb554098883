import { defaultConfig, lcmSchema, parseConfig } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { withSummaryRoute } from '../../apps/cli/src/lcm-summary-route.ts';
import { withLcmVariables } from '../../apps/cli/src/lcm-variables.ts';

const defaults = lcmSchema.parse({});

test('every key of the requirements has their default', () => {
  expect(defaults).toMatchObject({
    enabled: true,
    context_threshold: 0.75,
    fresh_tail_count: 64,
    fresh_tail_max_tokens: null,
    leaf_chunk_tokens: 20_000,
    leaf_target_tokens: 2400,
    condensed_target_tokens: 2000,
    leaf_min_fanout: 8,
    condensed_min_fanout: 4,
    condensed_min_fanout_hard: 2,
    incremental_max_depth: 1,
    summary_provider: '',
    summary_model: '',
    summary_timeout_ms: 60_000,
    circuit_breaker_threshold: 5,
    circuit_breaker_cooldown_ms: 1_800_000,
    cache_aware_compaction: {
      enabled: true,
      cache_ttl_seconds: 300,
      max_cold_cache_catchup_passes: 2,
      hot_cache_pressure_factor: 4,
      hot_cache_budget_headroom_ratio: 0.2,
      cold_cache_observation_threshold: 3,
    },
    dynamic_leaf_chunk_tokens: { enabled: true, max: 40_000 },
  });
});

test('a variable wins over the file, the file over the default', () => {
  const file = lcmSchema.parse({ fresh_tail_count: 10, leaf_min_fanout: 3 });
  const { lcm, warnings } = withLcmVariables(file, {
    LCM_SUMMARY_MODEL: 'gemini-2.5-flash',
    LCM_FRESH_TAIL_COUNT: '32',
    LCM_CONTEXT_THRESHOLD: '0.8',
  });

  expect(lcm).toMatchObject({
    summary_model: 'gemini-2.5-flash',
    fresh_tail_count: 32,
    context_threshold: 0.8,
    leaf_min_fanout: 3,
    leaf_chunk_tokens: 20_000,
  });
  expect(warnings).toEqual([]);
});

test.each([
  ['LCM_ENABLED', 'off', { enabled: false }],
  ['LCM_FRESH_TAIL_COUNT', '0', { fresh_tail_count: 0 }],
  ['LCM_FRESH_TAIL_MAX_TOKENS', '0', { fresh_tail_max_tokens: 0 }],
  ['LCM_FRESH_TAIL_MAX_TOKENS', 'null', { fresh_tail_max_tokens: null }],
  ['LCM_INCREMENTAL_MAX_DEPTH', '-1', { incremental_max_depth: -1 }],
  ['LCM_SWEEP_MAX_DEPTH', '2', { incremental_max_depth: 2 }],
  ['LCM_CACHE_TTL_SECONDS', '60', { cache_aware_compaction: { cache_ttl_seconds: 60 } }],
  [
    'LCM_CACHE_AWARE_COMPACTION_CACHE_TTL_SECONDS',
    '60',
    { cache_aware_compaction: { cache_ttl_seconds: 60 } },
  ],
  ['LCM_CACHE_AWARE_COMPACTION_ENABLED', 'no', { cache_aware_compaction: { enabled: false } }],
  ['LCM_HOT_CACHE_PRESSURE_FACTOR', '0.5', { cache_aware_compaction: { hot_cache_pressure_factor: 1 } }],
  [
    'LCM_HOT_CACHE_BUDGET_HEADROOM_RATIO',
    '2',
    { cache_aware_compaction: { hot_cache_budget_headroom_ratio: 0.95 } },
  ],
  ['LCM_DYNAMIC_LEAF_CHUNK_TOKENS_MAX', '30000', { dynamic_leaf_chunk_tokens: { max: 30_000 } }],
  ['LCM_LARGE_FILE_TOKEN_THRESHOLD', '1000', { large_file_threshold_tokens: 1000 }],
  ['LCM_FALLBACK_PROVIDERS', 'a/b, c/d', { fallback_providers: ['a/b', 'c/d'] }],
  ['LCM_STRIP_INJECTED_CONTEXT_TAGS', '', { strip_injected_context_tags: [] }],
])('%s=%s is understood', (name, value, expected) => {
  expect(withLcmVariables(defaults, { [name]: value }).lcm).toMatchObject(expected);
});

test('of two variables for one key the short name wins', () => {
  const env = { LCM_SWEEP_MAX_DEPTH: '3', LCM_INCREMENTAL_MAX_DEPTH: '0' };

  expect(withLcmVariables(defaults, env).lcm.incremental_max_depth).toBe(3);
});

test('what is no number is not used, and a line says so', () => {
  const { lcm, warnings } = withLcmVariables(lcmSchema.parse({ leaf_chunk_tokens: 700 }), {
    LCM_LEAF_CHUNK_TOKENS: 'many',
    LCM_CONTEXT_THRESHOLD: 'NaN',
  });

  expect([lcm.leaf_chunk_tokens, lcm.context_threshold]).toEqual([700, 0.75]);
  expect(warnings).toEqual([
    'LCM_CONTEXT_THRESHOLD is "NaN" and no number; context.lcm.context_threshold keeps the value of the config file or its default.',
    'LCM_LEAF_CHUNK_TOKENS is "many" and no number; context.lcm.leaf_chunk_tokens keeps the value of the config file or its default.',
  ]);
});

test('a word that is no boolean and a value out of range stop the start', () => {
  expect(() => withLcmVariables(defaults, { LCM_ENABLED: 'maybe' })).toThrow(
    'LCM_ENABLED is "maybe"; allowed: true, 1, yes, on, false, 0, no, off.',
  );
  expect(() => withLcmVariables(defaults, { LCM_CONDENSED_MIN_FANOUT: '1' })).toThrow(
    /^LCM_CONDENSED_MIN_FANOUT: .*>=2/,
  );
});

test('under this engine its summary model takes the place of the usual one', () => {
  const config = defaultConfig();
  const named = {
    ...config.context.lcm,
    summary_model: 'google/gemini-2.5-flash',
    summary_provider: 'openrouter',
  };

  const lcm = withSummaryRoute({ ...config, context: { ...config.context, engine: 'lcm', lcm: named } });
  const other = withSummaryRoute({ ...config, context: { ...config.context, lcm: named } });

  expect(lcm.auxiliary.compression).toMatchObject({
    provider: 'openrouter',
    model: 'google/gemini-2.5-flash',
  });
  expect(other.auxiliary.compression).toMatchObject({ provider: 'auto', model: null });
});

test('a provider that serves no summaries stops the start', () => {
  const config = defaultConfig();
  const lcm = { ...config.context.lcm, summary_provider: 'gemini' };

  expect(() => withSummaryRoute({ ...config, context: { ...config.context, engine: 'lcm', lcm } })).toThrow(
    'context.lcm names the provider "gemini"; allowed: auto, main, openrouter, nous, anthropic, openai, custom.',
  );
});

test('keys have the second names of the file too; both at once are refused', () => {
  const { lcm } = parseConfig(
    'context: {lcm: {sweep_max_depth: 3, large_file_token_threshold: 9000}}',
    'config.yaml',
  ).context;

  expect([lcm.incremental_max_depth, lcm.large_file_threshold_tokens]).toEqual([3, 9_000]);
  expect(() =>
    parseConfig('context: {lcm: {sweep_max_depth: 3, incremental_max_depth: 2}}', 'config.yaml'),
  ).toThrow('sweep_max_depth');
});

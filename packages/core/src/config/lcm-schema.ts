/** The keys of `context.lcm:`, the settings of the lossless engine. Each can also be set as LCM_…, which wins. */
import { z } from 'zod';

const fraction = z.number().min(0).max(1);
const positive = z.number().int().min(1);
const model = z.string().default('');

const cacheAware = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      'work that can wait is done when the prompt cache has run out; never holds back work above the threshold',
    ),
  cache_ttl_seconds: positive
    .default(300)
    .describe('a cached prefix counts as gone this long after its last use'),
  max_cold_cache_catchup_passes: positive
    .default(2)
    .describe('leaf passes of one incremental run while the cache is cold'),
  hot_cache_pressure_factor: z
    .number()
    .default(4)
    .transform((factor) => Math.max(1, factor))
    .describe('hot cache: wait while what could be summarised is below this many leaf chunks'),
  hot_cache_budget_headroom_ratio: z
    .number()
    .default(0.2)
    .transform((ratio) => Math.min(0.95, Math.max(0, ratio)))
    .describe('hot cache: wait while this share of the budget is free, 0-0.95'),
  cold_cache_observation_threshold: positive
    .default(3)
    .describe('answers in a row without a cache read after which the cache counts as cold'),
  critical_budget_pressure_ratio: fraction
    .default(0.9)
    .describe('a prompt at this share of the budget no longer waits for the cache to run out'),
});

const dynamicLeafChunk = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('leaf chunks grow with the traffic, so that fewer passes break the cache'),
  max: positive.default(40_000).describe('largest leaf chunk in tokens; at least leaf_chunk_tokens'),
});

const thresholdOverride = z.strictObject({
  model: z.string().optional().describe('part of a model name'),
  session: z.string().optional().describe('glob of session ids: * stops at a colon, ** does not'),
  min_window_tokens: positive.optional().describe('smallest window it holds for'),
  max_window_tokens: positive.optional().describe('largest window it holds for'),
  context_threshold: fraction.optional().describe('in the place of the usual one'),
  fresh_tail_count: z.number().int().min(0).optional().describe('in the place of the usual one'),
  leaf_chunk_tokens: positive.optional().describe('in the place of the usual one'),
});

export const lcmSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('false: the compressor takes the place of this engine, with a warning'),
  context_threshold: fraction.default(0.75).describe('compaction at prompt tokens > threshold x window'),
  fresh_tail_count: z
    .number()
    .int()
    .min(0)
    .default(64)
    .describe('newest messages kept word for word; 0: none'),
  fresh_tail_max_tokens: z
    .number()
    .int()
    .min(0)
    .nullable()
    .default(null)
    .describe(
      'token cap of those messages; null: a third of what messages may take below the trigger, which only binds where they are long or the window is small',
    ),
  leaf_chunk_tokens: positive
    .default(20_000)
    .describe('most tokens of messages that one leaf summary covers; yields to a small window'),
  leaf_target_tokens: positive.default(2400).describe('aimed size of a leaf summary'),
  condensed_target_tokens: positive.default(2000).describe('aimed size of a summary of summaries'),
  leaf_min_fanout: positive.default(8).describe('messages a leaf needs while there is no hurry'),
  condensed_min_fanout: z
    .number()
    .int()
    .min(2)
    .default(4)
    .describe('summaries that are condensed together, at least'),
  condensed_min_fanout_hard: z
    .number()
    .int()
    .min(2)
    .default(2)
    .describe('the same when the summaries themselves take too much room'),
  leaf_condense_min_fanout: z
    .number()
    .int()
    .min(2)
    .nullable()
    .default(null)
    .describe('another least number for leaves; null: condensed_min_fanout'),
  incremental_max_depth: z
    .number()
    .int()
    .min(-1)
    .default(1)
    .describe('deepest summaries a pass makes: 0 leaves only, -1 no limit'),
  summary_provider: model.describe('route of the summary model; empty: the one of auxiliary.compression'),
  summary_model: model.describe('model that writes summaries; empty: the one of auxiliary.compression'),
  fallback_providers: z
    .array(z.string())
    .default([])
    .describe('provider/model pairs tried in turn when the summary model fails'),
  summary_timeout_ms: positive.default(60_000).describe('one call of the summary model at most'),
  circuit_breaker_threshold: positive
    .default(5)
    .describe('failures in a row after which a summary model rests'),
  circuit_breaker_cooldown_ms: positive.default(1_800_000).describe('how long it rests'),
  cache_aware_compaction: cacheAware.prefault({}),
  dynamic_leaf_chunk_tokens: dynamicLeafChunk.prefault({}),
  context_threshold_overrides: z
    .array(thresholdOverride)
    .default([])
    .describe('other sizes for a model, sessions or windows; the most specific rule wins, then the first'),
  summary_prefix_target_tokens: positive
    .nullable()
    .default(null)
    .describe('room for all summaries together; null: a leaf chunk, at most half of the trigger'),
  max_sweep_iterations: positive.default(12).describe('summaries written in one sweep at most'),
  sweep_deadline_ms: positive.default(120_000).describe('one sweep at most'),
  compact_until_under_deadline_ms: positive
    .default(300_000)
    .describe('recovery from a refused prompt at most'),
  proactive_threshold_compaction_mode: z
    .enum(['deferred', 'inline'])
    .default('deferred')
    .describe('deferred: after the answer, by a maintenance job; inline: before the request'),
  max_assembly_token_budget: z
    .number()
    .int()
    .min(1000)
    .nullable()
    .default(null)
    .describe('a prompt never takes more than this, whatever the window'),
  stub_large_tool_payloads: z
    .boolean()
    .default(false)
    .describe('old tool results kept beside the transcript are shown as one line'),
  max_expand_tokens: positive.default(4000).describe('tokens one call of lcm_expand gives back at most'),
  large_file_threshold_tokens: z
    .number()
    .int()
    .min(1000)
    .default(25_000)
    .describe('a text this long is kept as a file and referenced'),
  expansion_provider: model.describe('route for lcm_expand_query; empty: the summary model'),
  expansion_model: model.describe('model that answers lcm_expand_query; empty: the summary model'),
  delegation_timeout_ms: positive.default(120_000).describe('one lcm_expand_query at most'),
  summary_max_calls_per_window: positive
    .default(24)
    .describe('summary calls of one session within summary_call_window_ms'),
  summary_call_window_ms: positive.default(600_000).describe('the window those calls are counted in'),
  summary_spend_backoff_ms: positive.default(1_800_000).describe('rest of a session that used them up'),
  summary_max_overage_factor: z
    .number()
    .min(1)
    .default(3)
    .describe('a summary this many times over its target is cut'),
  fallback_max_tokens: z
    .number()
    .int()
    .min(64)
    .default(512)
    .describe('size of the summary that needs no model'),
  custom_instructions: z.string().default('').describe("the operator's own words for the summary model"),
  new_session_retain_depth: z
    .number()
    .int()
    .min(-1)
    .default(2)
    .describe('/new keeps summaries from this depth on; 0 all of them, -1 changes nothing'),
  strip_injected_context_tags: z
    .array(z.string())
    .default(['active_memory_plugin', 'relevant-memories', 'relevant_memories', 'hindsight_memories'])
    .describe('blocks in these tags are left out of what is summarised'),
  ignore_session_patterns: z
    .array(z.string())
    .default([])
    .describe('globs of sessions in which nothing is summarised'),
  stateless_session_patterns: z
    .array(z.string())
    .default([])
    .describe('globs of sessions that read summaries and never write any'),
  skip_stateless_sessions: z
    .boolean()
    .default(true)
    .describe('false: such sessions are treated like all others'),
});

export type LcmConfig = z.output<typeof lcmSchema>;

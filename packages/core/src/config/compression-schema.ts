/** The keys of `compression:`, the settings of the built-in engine and of hygiene. */
import { z } from 'zod';

const fraction = z.number().min(0).max(1);

export const compression = z.strictObject({
  enabled: z.boolean().default(true).describe('master switch of compaction, shared with hygiene'),
  threshold: fraction.default(0.5).describe('compaction at prompt tokens >= threshold x window'),
  model_thresholds: z
    .record(z.string(), fraction)
    .default({})
    .describe('threshold by model name; longest matching part wins'),
  small_context_floor: z
    .strictObject({ below: z.number().int().default(512_000), threshold: fraction.default(0.75) })
    .nullable()
    .prefault({})
    .describe('windows below this size never compact before this share; null: off'),
  threshold_tokens: z
    .number()
    .int()
    .nullable()
    .default(null)
    .transform((tokens) => (tokens !== null && tokens > 0 ? tokens : null))
    .describe('absolute cap of the trigger; null, 0 or less: none'),
  minimum_trigger_tokens: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('the trigger is never below this, except by the 85 % rule'),
  target_ratio: z
    .number()
    .default(0.2)
    .transform((ratio) => Math.min(0.8, Math.max(0.1, ratio)))
    .describe('tail kept = trigger x ratio, 0.10-0.80'),
  tail_mode: z
    .enum(['lean', 'legacy'])
    .default('lean')
    .describe(
      'lean: a small tail (2.5 % of the window, 10000-25000 tokens), old tool results as one line, a summary with index and quotes; legacy: the newest messages stay word for word within trigger x target_ratio',
    ),
  protect_last_n: z
    .number()
    .int()
    .min(1)
    .default(20)
    .describe('newest messages always kept while they fit half of the trigger'),
  min_tail_user_messages: z
    .number()
    .int()
    .min(1)
    .default(1)
    .describe("a person's newest messages always kept"),
  protect_first_n: z
    .literal(3)
    .default(3)
    .describe('fixed: the system prompt and the first exchange are kept at every compaction'),
  protect_first_n_decay: z
    .boolean()
    .default(false)
    .describe('true: the first exchange is kept at the first compaction only, later ones summarise it too'),
  tail_assistant_max_chars: z
    .number()
    .int()
    .min(200)
    .nullable()
    .default(null)
    .describe('lean: longer answers in the tail are shortened to this and stay searchable; null: off'),
  codex_gpt55_autoraise: z
    .boolean()
    .default(true)
    .describe(
      'compaction at 85 % on the Codex route, where gpt-5.4, 5.5 and 5.6 have 272000 tokens; false: the global threshold',
    ),
  codex_gpt55_autoraise_notice: z
    .boolean()
    .default(true)
    .describe('false: the raise on the Codex route is not told on the first screen'),
  codex_app_server_auto: z
    .enum(['native', 'hermes', 'off'])
    .default('native')
    .describe(
      'who condenses a thread of the Codex app-server: native: the server by itself; hermes: the server when our trigger is reached; off: nobody',
    ),
  codex_responses_native: z
    .boolean()
    .default(false)
    .describe('gpt-5.6 on OpenAI or Codex: the provider condenses on its side too'),
  codex_responses_compact_threshold: z
    .number()
    .int()
    .min(1)
    .nullable()
    .default(200_000)
    .describe(
      'input tokens from which the provider condenses; always kept below our own trigger; null: just below it',
    ),
  idle_compact_after_seconds: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe(
      'a session without a message for this long is condensed, unless it is at or below trigger x target_ratio; 0: off',
    ),
  in_place: z
    .boolean()
    .default(true)
    .describe(
      'true: same session id, older rows archived; false: every summary starts a child session, and none can be taken back',
    ),
  background: z
    .boolean()
    .default(true)
    .describe('summaries are prepared ahead by a maintenance job; false: written inline at the trigger'),
  background_at: fraction.default(0.8).describe('share of the trigger from which a plan is prepared'),
  prepared_ttl_seconds: z
    .number()
    .min(60)
    .default(86_400)
    .describe('a prepared plan older than this is dropped'),
  max_per_hour: z
    .number()
    .int()
    .min(1)
    .default(30)
    .describe(
      'automatic compactions of a session an hour below the hard limit; one every two minutes is far more than a conversation needs, and more only burn money',
    ),
  notices: z
    .boolean()
    .default(true)
    .describe(
      'tell people, in one line, when a message has to wait for a summary and what came of it; false: only that none could be written',
    ),
  progress_notices: z
    .boolean()
    .default(false)
    .describe('tell people about every compaction, not only when they had to wait'),
  abort_on_summary_failure: z
    .boolean()
    .default(false)
    .describe('true: every failure of the summariser leaves the history as it is'),
  hygiene_max_turn_hold_seconds: z
    .number()
    .min(0)
    .default(10)
    .describe('a message waits for a summary at most this long'),
  hygiene_timeout_seconds: z
    .number()
    .min(1)
    .default(30)
    .describe('no progress of the summariser for this long ends the attempt'),
  hygiene_total_ceiling_seconds: z.number().min(1).default(600).describe('one summary at most'),
  hygiene_failure_cooldown_seconds: z
    .number()
    .min(0)
    .default(300)
    .describe('rest after a failure, x1, x3, x9, at most an hour'),
  hygiene_hard_message_limit: z
    .number()
    .int()
    .min(4)
    .nullable()
    .default(null)
    .describe('hygiene also at this many rows; null: off'),
});

import { z } from 'zod';

/*
 * The sections `model` and `prompt_caching`. A model switch, a fallback or another key is a full-price re-read of the
 * conversation: caches belong to one model, one account and one key.
 */

const dollars = z.number().min(0).nullable().default(null);
const tokens = z.number().int().min(1).nullable().default(null);

const knownModel = z.strictObject({
  context_length: tokens.describe('window in tokens'),
  max_output_tokens: tokens.describe('most tokens of one answer that the model gives'),
  cache_minimum_tokens: tokens.describe('a prefix below this is not cached'),
  images: z.boolean().optional().describe('whether it takes pictures; left out: by our table'),
  price: z
    .strictObject({
      input: z.number().min(0).describe('US dollars a million tokens, and so the next ones'),
      output: z.number().min(0),
      cache_read: z.number().min(0).nullable().default(null).describe('null: the price of input'),
      cache_write: z.number().min(0).nullable().default(null).describe('null: the price of input'),
    })
    .nullable()
    .default(null)
    .describe(
      'US dollars a million tokens: input, output, cache_read, cache_write; null: those of our table',
    ),
});

const dailyBudget = z.strictObject({
  person_turns: tokens.describe('answers one person may have a day; null: no limit'),
  person_dollars: dollars.describe('US dollars one person may cost a day; null: no limit'),
  installation_dollars: dollars.describe('US dollars everybody together may cost a day; null: no limit'),
  warn_share: z
    .number()
    .min(0)
    .max(1)
    .default(0.8)
    .describe('from this share of a budget on the answer says once a day how much is left'),
});

export const model = z.strictObject({
  provider: z
    .enum(['auto', 'anthropic', 'openai', 'openai-codex', 'openrouter', 'custom', 'offline'])
    .default('auto')
    .describe(
      'auto: the provider whose key is set (Anthropic, OpenRouter, OpenAI in this order), else the offline responder; openai-codex: a ChatGPT subscription through the sign-in of the Codex CLI, never chosen by itself',
    ),
  name: z
    .string()
    .nullable()
    .default(null)
    .describe("model id as the provider spells it; null: the provider's default of ours"),
  base_url: z
    .url()
    .nullable()
    .default(null)
    .describe('another address of the same API; needed for provider custom'),
  api_mode: z
    .enum([
      'auto',
      'anthropic_messages',
      'chat_completions',
      'responses',
      'codex_responses',
      'codex_app_server',
    ])
    .default('auto')
    .describe(
      'wire format; auto: by provider; codex_app_server: the Codex program on this machine holds the conversations, with its own sign-in',
    ),
  codex_command: z
    .string()
    .min(1)
    .default('codex')
    .describe('api_mode codex_app_server: the Codex program, a name on the PATH or a path'),
  context_length: z
    .number()
    .int()
    .min(1000)
    .nullable()
    .default(null)
    .describe('window in tokens; null: table, provider, else 128000'),
  max_tokens: z
    .number()
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('most tokens of one answer; taken off the window for the trigger'),
  choices: z
    .array(z.string().min(1))
    .default([])
    .describe('models that /model may choose beside the default; empty: any that a set key serves'),
  fallback: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'models tried in this order when the model fails for good, or, those with a larger window, when a conversation no longer fits it even after condensing; empty: never. A switch is told in the chat: another model reads the whole conversation anew at full price',
    ),
  ask_provider: z
    .boolean()
    .default(true)
    .describe('ask the server of the model for its window; false: only the table and context_length'),
  table: z
    .record(z.string(), knownModel)
    .default({})
    .describe('what you know better than our table, by the name of the model as the provider spells it'),
  daily_budget: dailyBudget.prefault({}),
});

export const promptCaching = z.strictObject({
  cache_ttl: z
    .preprocess(
      (value) => (value === false || value === '' ? null : value),
      z.enum(['5m', '1h', 'off']).nullable(),
    )
    .default('5m')
    .describe('life of cached prompt prefixes; off, false or null: no marks are sent'),
  system_ttl: z
    .enum(['5m', '1h'])
    .nullable()
    .default(null)
    .describe('another life for system prompt and tools, never shorter than cache_ttl; null: the same'),
  layout: z
    .enum(['system_and_3', 'split_system', 'native_tools', 'automatic'])
    .default('system_and_3')
    .describe(
      "where the four marks go; native_tools and automatic only on Anthropic's own wire, elsewhere system_and_3",
    ),
  custom_server: z
    .enum(['auto', 'native', 'envelope', 'litellm', 'none'])
    .default('auto')
    .describe('provider custom: which marks its server takes; auto: by wire, host and model'),
  openai_breakpoints: z
    .boolean()
    .default(false)
    .describe(
      'gpt-5.6 and later at OpenAI: explicit breakpoints beside its automatic cache; writes cost a quarter more',
    ),
});

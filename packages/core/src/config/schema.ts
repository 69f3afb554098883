import { z } from 'zod';
import { commands } from './commands-schema.ts';
import { compression } from './compression-schema.ts';
import { media } from './media-schema.ts';
import { hooks } from './hooks-schema.ts';
import { dashboard } from './dashboard-schema.ts';
import { model, promptCaching } from './model-schema.ts';
import { dcpSchema } from './dcp-schema.ts';
import { display } from './display-schema.ts';
import { lcmSchema } from './lcm-schema.ts';
import { platforms } from './platforms-schema.ts';
import { mcpServers, toolRules, tools } from './tools-schema.ts';

/*
 * The one truth about configuration: defaults, allowed values and what each key means. The example file, the table in
 * the documentation and the errors are made from it. Units are in the names; the reason stands beside each default.
 */

const server = z.strictObject({
  host: z
    .string()
    .default('127.0.0.1')
    .describe('address the pages listen on; another than loopback needs PALIMPSEST_PASSWORD'),
  port: z
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(8787)
    .describe('port of pages, /healthz, /readyz and /metrics; PORT wins'),
  public_host: z
    .string()
    .nullable()
    .default(null)
    .describe('host name under which people reach the pages, beside loopback names'),
});

const agent = z.strictObject({
  instructions: z
    .string()
    .default('You are a helpful assistant in a chat. Answer plainly and in the language you are spoken to.')
    .describe('who the bot is; the first block of the system prompt'),
  max_steps: z
    .number()
    .int()
    .min(1)
    .max(500)
    .default(60)
    .describe('model calls of one turn at most; then it answers with what it has'),
  tool_rules: toolRules.describe('rules of this agent; they come after tools.rules'),
  tool_timeout_seconds: z.number().min(1).max(3600).default(120).describe('one tool call at most'),
  turn_timeout_seconds: z
    .number()
    .min(10)
    .max(86400)
    .default(1800)
    .describe('one turn at most; it then ends and says so'),
});

const context = z.strictObject({
  engine: z.string().default('compressor').describe('context engine of new sessions'),
  dcp: dcpSchema.prefault({}),
  lcm: lcmSchema.prefault({}),
});

const auxiliaryCompression = z.strictObject({
  model: z.string().nullable().default(null).describe('model that writes summaries; null: the main model'),
  provider: z
    .enum(['auto', 'main', 'openrouter', 'nous', 'anthropic', 'openai', 'custom'])
    .default('auto')
    .describe(
      'its route; auto: the one that serves the model, main: that of the main model, nous: the OpenAI-compatible server at base_url with NOUS_API_KEY',
    ),
  base_url: z.url().nullable().default(null).describe('an OpenAI-compatible server of your own'),
});

const worker = z.strictObject({
  concurrency: z.number().int().min(1).max(500).default(30).describe('turns at once in one worker process'),
  max_turns_per_person: z
    .number()
    .int()
    .min(1)
    .max(500)
    .default(10)
    .describe(
      'turns of one person at once in one worker process, however many conversations that person has',
    ),
  lease_seconds: z
    .number()
    .min(5)
    .max(600)
    .default(60)
    .describe('a silent holder of a session is replaced after this'),
  sweep_seconds: z.number().min(0.2).max(300).default(15).describe('how often lost wake-ups are looked for'),
  max_turn_attempts: z
    .number()
    .int()
    .min(1)
    .default(3)
    .describe('a turn that died this often is given up and said so'),
  max_texts_per_turn: z.number().int().min(1).default(20).describe('messages of one chat answered together'),
  max_waiting_messages: z
    .number()
    .int()
    .min(20)
    .max(100_000)
    .default(500)
    .describe('messages that may wait in one session; who writes more is told that they are not taken'),
  max_turns_per_claim: z.number().int().min(1).default(5).describe('then other sessions get their turn'),
  wait_for_more_ms: z
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(1200)
    .describe('wait after a piece that looks cut off by the client'),
});

const retention = z.strictObject({
  inbox_days: z
    .number()
    .int()
    .min(7)
    .default(7)
    .describe('raw updates; at least 7, so that repeats are recognised'),
  events_days: z.number().int().min(1).default(30).describe('events, and who was told of them'),
  ledger_days: z
    .number()
    .int()
    .min(1)
    .default(365)
    .describe('rows of compactions; those that a summary needs stay as long as the messages'),
  media_days: z
    .number()
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'pictures, recordings and other files that are no text, once no message of the prompt shows them; their words stay. null = kept',
    ),
});

export const configSchema = z.strictObject({
  timezone: z
    .string()
    .default('UTC')
    .refine(isTimeZone, 'an IANA time zone such as Europe/Berlin')
    .describe('zone of the times the model sees'),
  server: server.prefault({}),
  dashboard: dashboard.prefault({}),
  model: model.prefault({}),
  agent: agent.prefault({}),
  context: context.prefault({}),
  compression: compression.prefault({}),
  auxiliary: z.strictObject({ compression: auxiliaryCompression.prefault({}) }).prefault({}),
  prompt_caching: promptCaching.prefault({}),
  platforms: platforms.prefault({}),
  group_sessions_per_user: z
    .boolean()
    .default(false)
    .describe('true: in groups a session for each person; false: one that all share, with names of speakers'),
  thread_sessions_per_user: z
    .boolean()
    .default(false)
    .describe('the same in forum topics and threads, each of which is a session of its own'),
  display: display.prefault({}),
  commands: commands.prefault({}),
  media: media.prefault({}),
  tools: tools.prefault({}),
  mcp_servers: mcpServers,
  hooks: hooks.describe('who hears of events, by name; at least once each, in order in a session'),
  worker: worker.prefault({}),
  retention: retention.prefault({}),
});

export type Config = z.output<typeof configSchema>;
export type CompressionConfig = Config['compression'];

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** All defaults, as if the file were empty. */
export function defaultConfig(): Config {
  return configSchema.parse({});
}

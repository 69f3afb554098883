/** The keys of `context.dcp:`, the settings of the model-guided engine. */
import { z } from 'zod';

const positive = z.number().int().min(1);
const names = z.array(z.string().min(1)).default([]);

/** Tokens, or a share of the model's whole window. No union of schemas: its errors would not say what is allowed. */
const limit = z.custom<number | string>(isLimit, 'a number of tokens or "X%", 0-100');

const models = z.record(z.string(), limit).default({});

const compress = z
  .strictObject({
    mode: z
      .enum(['range', 'message'])
      .default('range')
      .describe('range: spans of the conversation; message: single large messages (experimental)'),
    permission: z
      .enum(['allow', 'ask', 'deny'])
      .default('allow')
      .describe('ask: each call needs /dcp compress from the person; deny: the model has no compress tool'),
    showCompression: z.boolean().default(false).describe('chat notices quote the summary'),
    summaryBuffer: z
      .boolean()
      .default(true)
      .describe('the upper limit is raised by the tokens of active summaries'),
    maxContextLimit: limit
      .default(100_000)
      .describe('above this the model is told to compress; tokens or "X%" of the window'),
    minContextLimit: limit
      .default(50_000)
      .describe('below this it is never told to; tokens or "X%" of the window'),
    modelMaxLimits: models.describe('maxContextLimit by provider/model'),
    modelMinLimits: models.describe('minContextLimit by provider/model'),
    nudgeFrequency: z
      .number()
      .min(1)
      .transform(Math.floor)
      .default(5)
      .describe('messages between two reminders at least'),
    iterationNudgeThreshold: positive
      .default(15)
      .describe('messages without one of the person after which the model is reminded'),
    nudgeForce: z.enum(['soft', 'strong']).default('soft').describe('how reminders are worded'),
    protectedTools: z
      .array(z.string().min(1))
      .default(['task', 'skill', 'todowrite', 'todoread'])
      .describe('tools whose output is copied into the summary; * and ? stand for any letters'),
    protectTags: z
      .boolean()
      .default(false)
      .describe("text in <protect>…</protect> of a person's message is copied into the summary"),
    protectUserMessages: z
      .boolean()
      .default(false)
      .describe("a person's messages are copied into the summary word for word"),
  })
  .refine(({ minContextLimit, maxContextLimit }) => isInOrder(minContextLimit, maxContextLimit), {
    path: ['minContextLimit'],
    message: 'at most maxContextLimit',
  });

const strategies = z.strictObject({
  deduplication: z
    .strictObject({
      enabled: z.boolean().default(true).describe('of equal tool calls only the newest keeps its output'),
      protectedTools: names.describe('tools whose results are left alone by this strategy'),
    })
    .prefault({}),
  purgeErrors: z
    .strictObject({
      enabled: z.boolean().default(true).describe('old failed calls keep their error, not their input'),
      turns: positive.default(4).describe('age in model steps from which a failed call is old'),
      protectedTools: names.describe('tools whose results are left alone by this strategy'),
    })
    .prefault({}),
});

const emergency = z.strictObject({
  stubOverTokens: positive
    .default(2_000)
    .describe('tool outputs over this are left out when a prompt no longer fits'),
  targetRatio: z
    .number()
    .min(0.1)
    .max(0.9)
    .default(0.6)
    .describe('share of the room for the prompt that is aimed at when the service compresses itself'),
  summaryTokens: positive.default(4_000).describe('length of a summary that the service writes itself'),
});

export const dcpSchema = z.strictObject({
  enabled: z.boolean().default(true).describe('false: the compressor takes the place of this engine'),
  debug: z.boolean().default(false).describe('log what every transform did, without texts'),
  pruneNotification: z
    .enum(['off', 'minimal', 'detailed'])
    .default('detailed')
    .describe('what people are told of a compression'),
  pruneNotificationType: z
    .enum(['chat', 'toast'])
    .default('chat')
    .describe('toast: where the platform has none, as chat'),
  commands: z
    .strictObject({
      enabled: z.boolean().default(true).describe('/dcp'),
      protectedTools: z
        .array(z.string().min(1))
        .default([
          'task',
          'skill',
          'todowrite',
          'todoread',
          'compress',
          'batch',
          'plan_enter',
          'plan_exit',
          'write',
          'edit',
        ])
        .describe('tools that no strategy and no /dcp sweep touches'),
    })
    .prefault({}),
  manualMode: z
    .strictObject({
      enabled: z.boolean().default(false).describe('compress only when the person asks with /dcp compress'),
      automaticStrategies: z
        .boolean()
        .default(true)
        .describe('strategies run in manual mode too, when there is a compression'),
    })
    .prefault({}),
  turnProtection: z
    .strictObject({
      enabled: z.boolean().default(true).describe('strategies leave recent turns of the person alone'),
      turns: positive.default(4).describe("how many of the person's turns are recent"),
    })
    .prefault({}),
  experimental: z
    .strictObject({
      allowSubAgents: z
        .boolean()
        .default(false)
        .describe(
          'sub-agents of a program that runs the engine may compress too; the service itself has none',
        ),
      customPrompts: z.boolean().default(false).describe('reserved; has no effect yet'),
    })
    .prefault({}),
  protectedFilePatterns: names.describe(
    'globs of files whose tool output is copied into the summary: ** any depth, * and ? within a name',
  ),
  compress: compress.prefault({}),
  strategies: strategies.prefault({}),
  hygiene: z
    .enum(['observe', 'block', 'rewrite'])
    .default('block')
    .describe(
      'at 85 % of the window: observe: strategies and a reminder; block: then a summary of the oldest span; rewrite: the transcript is archived and begins anew',
    ),
  // Two exchanges of tool work: the model has just read them and may still need their words.
  preserveRecentMessages: positive
    .default(4)
    .describe("newest messages that cannot be compressed, beside the person's newest one"),
  preserveRecentTokens: positive
    .default(2_000)
    .describe('newest messages up to this many tokens cannot be compressed; at most 5 % of the window'),
  maxSummaryTokens: positive
    .default(60_000)
    .describe('longest summary, blocks shown inside it counted; at most a quarter of the window'),
  // A block costs one re-read of the prompt from its place on; less than this never pays for it.
  minNetTokens: positive
    .default(500)
    .describe('a compression must save at least this; at most 1 % of the window'),
  emergency: emergency.prefault({}),
});

export type DcpConfig = z.output<typeof dcpSchema>;

function isLimit(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 1;
  return typeof value === 'string' && /^\d{1,3}(\.\d+)?%$/.test(value) && Number.parseFloat(value) <= 100;
}

/** A share and a number can only be compared once the window is known. */
function isInOrder(least: number | string, most: number | string): boolean {
  if (typeof least !== typeof most) return true;
  return Number.parseFloat(String(least)) <= Number.parseFloat(String(most));
}

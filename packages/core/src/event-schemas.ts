import { z } from 'zod';
import type { Platform } from './chat.ts';

/** Ids and figures; nothing that was said is ever in an event. */
const sessionId = z.string().describe('the session it happened in');
const turnId = z.string().describe('the run of the agent');
const platform = z.enum(['telegram', 'discord', 'local'] as const satisfies readonly Platform[]);

/** Payloads of the events about sessions' ends, turns and commands, as hooks get them. */
export const eventSchemas = {
  'session:end': z.object({
    type: z.literal('session:end'),
    sessionId,
    platform,
    reason: z
      .enum(['reset', 'compression'])
      .describe('reset: a person began anew; compression: a rotation goes on in another session'),
    nextSessionId: z.string().describe('where the chat goes on'),
  }),
  'agent:start': z.object({
    type: z.literal('agent:start'),
    sessionId,
    turnId,
    messages: z.number().int().describe('how many messages the turn answers'),
  }),
  'agent:step': z.object({
    type: z.literal('agent:step'),
    sessionId,
    turnId,
    step: z
      .number()
      .int()
      .describe('1 for the first round of tools; the answer is no step, agent:end tells of it'),
  }),
  'agent:end': z.object({
    type: z.literal('agent:end'),
    sessionId,
    turnId,
    outcome: z.string().describe('answered, stopped, failed …'),
    steps: z.number().int(),
  }),
  'command:*': z.object({
    type: z
      .templateLiteral(['command:', z.string()])
      .describe('with its name, such as command:compress; command:other for a name that is none'),
    sessionId,
    by: z.enum(['person', 'operator']),
  }),
};

type Schemas = typeof eventSchemas;
export type DescribedEvent = { [Type in keyof Schemas]: z.infer<Schemas[Type]> }[keyof Schemas];

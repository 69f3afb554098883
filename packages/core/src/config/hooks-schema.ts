/** The key `hooks:`: who hears of events. */
import { z } from 'zod';
import { eventTypes } from '../events.ts';

/** In rows and metrics, so short; a letter first. */
const hookName = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/);

const hook = z
  .strictObject({
    enabled: z.boolean().default(true).describe('false: it hears nothing'),
    events: z
      .array(z.enum(eventTypes))
      .default([])
      .describe('types of events that are told; empty: all of them'),
    module: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('JavaScript file beside the config that exports onEvent(event)'),
    url: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null)
      .describe('address that gets each event as a POST, signed as Standard Webhooks say'),
    secret_variable: z
      .string()
      .regex(/^[A-Z_][A-Z0-9_]*$/)
      .nullable()
      .default(null)
      .describe(
        'variable of the environment with the secret of the signature, whsec_ and base64; a url needs one',
      ),
    allow_private: z
      .boolean()
      .default(false)
      .describe('true: the url may lead to a loopback, private or link-local address'),
    timeout_seconds: z.number().min(0.1).max(120).default(10).describe('one attempt at most'),
    max_attempts: z
      .number()
      .int()
      .min(1)
      .max(100)
      .default(12)
      .describe(
        'an event that failed this often is a dead letter; the next one of the session then has its turn',
      ),
  })
  .superRefine(({ module, url, secret_variable: secret }, context) => {
    if ((module === null) === (url === null))
      context.addIssue({ code: 'custom', message: 'either module or url, one of them' });
    if (url !== null && secret === null)
      context.addIssue({
        code: 'custom',
        path: ['secret_variable'],
        message: 'with a url the name of the variable that holds the secret of its signature',
      });
  });

export const hooks = z.record(hookName, hook).default({});

/** The keys of `commands:`. */
import { z } from 'zod';

/** They tell somebody nothing but about themselves, or must work for everybody at once. */
const forEverybody: ReadonlySet<string> = new Set(['help', 'start', 'whoami', 'stop', 'status', 'queue']);

export const commands = z.strictObject({
  admin_only: z
    .array(
      z
        .string()
        .regex(/^[a-z0-9_]{1,32}$/)
        .refine((name) => !forEverybody.has(name), {
          message:
            'names of commands without the slash; help, whoami, stop, status and queue are for everybody',
        }),
    )
    .default([])
    .describe(
      'chat commands that only tools.admins (and the local web chat) may use, such as [model, engine]',
    ),
});

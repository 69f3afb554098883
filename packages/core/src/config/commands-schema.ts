/** The keys of `commands:`. */
import { z } from 'zod';

/** They tell somebody nothing but about themselves, or must work for everybody at once. */
export const commandsForEverybody: ReadonlySet<string> = new Set([
  'help',
  'start',
  'whoami',
  'stop',
  'status',
  'queue',
]);

/** Names of chat commands without the slash. */
export const commandNames = z.array(
  z.string().regex(/^[a-z0-9_]{1,32}$/, 'names of commands without the slash'),
);

export const commands = z.strictObject({
  admin_only: z
    .array(
      z
        .string()
        .regex(/^[a-z0-9_]{1,32}$/)
        .refine((name) => !commandsForEverybody.has(name), {
          message:
            'names of commands without the slash; help, whoami, stop, status and queue are for everybody',
        }),
    )
    .default([])
    .describe(
      'chat commands that only admins (and the local web chat) may use, such as [model, engine]; see tools.admins and allow_admin_from',
    ),
});

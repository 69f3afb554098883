/** The keys of `display:`. */
import { z } from 'zod';

/** What may become of messages that come while an answer is being written. */
export const busyModes = ['collect', 'followup', 'interrupt', 'steer'] as const;
export type BusyMode = (typeof busyModes)[number];

export const display = z.strictObject({
  busy_input_mode: z
    .enum(busyModes)
    .default('collect')
    .describe(
      'what becomes of messages that come while an answer is being written. collect: all of them are answered together ' +
        'afterwards; followup: one after the other; interrupt: the answer stops and the new message is answered with ' +
        'what was there; steer: they reach the running answer after its next tool call, else as with collect. /queue MODE chooses another for one conversation',
    ),
  busy_ack_enabled: z
    .boolean()
    .default(false)
    .describe('true: the first message that comes while an answer is being written is acknowledged'),
});

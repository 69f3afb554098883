/** The keys of `display:`. */
import { z } from 'zod';

export const display = z.strictObject({
  busy_input_mode: z
    .enum(['collect', 'followup', 'interrupt', 'steer'])
    .default('collect')
    .describe(
      'what becomes of messages that come while an answer is being written. collect: all of them are answered together ' +
        'afterwards; followup: one after the other; interrupt: the answer stops and the new message is answered with ' +
        'what was there; steer: they reach the running answer after its next tool call, else as with collect',
    ),
  busy_ack_enabled: z
    .boolean()
    .default(false)
    .describe('true: the first message that comes while an answer is being written is acknowledged'),
});

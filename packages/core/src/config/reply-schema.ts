import { z } from 'zod';

/*
 * How answers reach people while they are written. Intervals are what the platforms bear: about one message a second in a
 * direct chat, and 20 a minute in a group, sends and edits together.
 */

const replyKeys = {
  stream_in_groups: z
    .boolean()
    .default(false)
    .describe('also in groups and channels, where each edit counts against what everybody may write'),
  stream_direct_every_ms: z
    .number()
    .int()
    .min(500)
    .max(60_000)
    .default(1_100)
    .describe('at most one change of a preview in this time, in direct chats'),
  stream_elsewhere_every_ms: z
    .number()
    .int()
    .min(500)
    .max(60_000)
    .default(3_100)
    .describe('the same in groups and channels'),
  ack_reactions: z
    .boolean()
    .default(false)
    .describe('a sign under each message once it is stored, and another one when its answer is there'),
};

/** Keys of `platforms.telegram` about replies. */
export const telegramReplyKeys = {
  stream: z
    .enum(['edit', 'draft', 'off'])
    .default('edit')
    .describe(
      'show an answer while it is written. edit: in a message that is changed; draft: in a draft that fades and has a button to stop it (direct chats only), then a message',
    ),
  ...replyKeys,
};

/** Keys of `platforms.discord` about replies. */
export const discordReplyKeys = {
  stream: z
    .enum(['edit', 'off'])
    .default('edit')
    .describe('show an answer while it is written, in a message that is changed'),
  ...replyKeys,
};

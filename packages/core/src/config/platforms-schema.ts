/** The keys of `platforms:`: who may talk to the bot where, and what in a group is meant for it. */
import { z } from 'zod';
import { commandNames } from './commands-schema.ts';
import { numericIds } from './numeric-ids.ts';
import { discordReplyKeys, telegramReplyKeys } from './reply-schema.ts';

const placeKey = z
  .string()
  .regex(/^-?\d{1,20}(\/\d{1,20})?$/, 'the numeric id of a chat, or CHAT/THREAD; /whoami shows both');

/** What a chat or thread has of its own; null: as everywhere. */
const chat = z.strictObject({
  instructions: z
    .string()
    .nullable()
    .default(null)
    .describe('who the bot is there, in the place of agent.instructions'),
  allowed_users: numericIds
    .nullable()
    .default(null)
    .describe('numeric ids of the people who may speak there, beside nobody else'),
  require_mention: z.boolean().nullable().default(null).describe('false: it answers everything said there'),
  sessions_per_user: z.boolean().nullable().default(null).describe('true: a session for each person there'),
  ignored: z.boolean().default(false).describe('true: nothing said there is taken'),
});

const mentionPattern = z
  .string()
  .min(1)
  .max(200)
  .refine(isPattern, 'a regular expression such as \\bpalimpsest\\b; letters of any case match');

const platform = {
  enabled: z.boolean().default(true).describe('false: off, whatever token is set'),
  allowed_users: numericIds.describe('numeric ids of the people who may talk to the bot'),
  group_allowed_users: numericIds
    .nullable()
    .default(null)
    .describe(
      'numeric ids of the people who may speak to it in groups; null: those of allowed_users, []: nobody',
    ),
  allowed_chats: numericIds.describe(
    'numeric ids of groups; empty: every group in which an allowed person speaks',
  ),
  allow_all: z.boolean().default(false).describe('true: anyone may talk to the bot, at your cost'),
  pairing: z
    .enum(['auto', 'on', 'off'])
    .default('auto')
    .describe(
      'strangers who write directly get a one-time code for `palimpsest access approve`; auto: only while allowed_users is empty',
    ),
  allow_admin_from: numericIds.describe('numeric ids of admins, beside those of tools.admins'),
  user_allowed_commands: commandNames
    .nullable()
    .default(null)
    .describe(
      'chat commands that people who are no admins may use, beside help, whoami, stop, status and queue; null: all but commands.admin_only',
    ),
  require_mention: z
    .boolean()
    .default(true)
    .describe('in groups only messages that mention or answer the bot'),
  mention_patterns: z
    .array(mentionPattern)
    .default([])
    .describe('a group message that matches one of these regular expressions mentions the bot too'),
  ignored_threads: z
    .array(
      z
        .union([z.string(), z.number(), z.bigint()])
        .transform(String)
        .refine(isThread, 'THREAD or CHAT/THREAD, numeric ids'),
    )
    .default([])
    .describe('topics and threads where nothing is taken: THREAD, or CHAT/THREAD'),
  allow_bots: z
    .enum(['none', 'mentions', 'all'])
    .default('none')
    .describe(
      'whether other bots are heard: they need an id in the lists as people do; after 10 of their messages in a row a person must speak',
    ),
  observe_unmentioned: z
    .number()
    .int()
    .min(0)
    .max(50)
    .default(0)
    .describe(
      'group messages not meant for the bot that its next answer there may know, newest first; only of people who may talk to it',
    ),
  chats: z
    .record(placeKey, chat)
    .default({})
    .describe('what single chats have of their own, by CHAT or CHAT/THREAD'),
  api_root: z
    .url()
    .nullable()
    .default(null)
    .describe('another API server (a local Bot API server, a test server)'),
  file_over_parts: z
    .number()
    .int()
    .min(0)
    .max(100)
    .default(5)
    .describe('answers of more messages than this are sent as the first one and a file; 0 = never'),
};

const telegram = z
  .strictObject({
    ...platform,
    ...telegramReplyKeys,
    mode: z
      .enum(['polling', 'webhook'])
      .default('polling')
      .describe('webhook needs TELEGRAM_WEBHOOK_SECRET and webhook_url'),
    webhook_url: z
      .url()
      .nullable()
      .default(null)
      .describe('public https address that Telegram calls; ends in /telegram/webhook'),
  })
  .refine((section) => section.mode !== 'webhook' || section.webhook_url !== null, {
    path: ['webhook_url'],
    message: 'with mode: webhook the public https address that Telegram calls, ending in /telegram/webhook',
  });

const discord = z.strictObject({ ...platform, ...discordReplyKeys });

export const platforms = z.strictObject({ telegram: telegram.prefault({}), discord: discord.prefault({}) });

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'iu');
    return true;
  } catch {
    return false;
  }
}

function isThread(text: string): boolean {
  return /^(-?\d{1,20}\/)?\d{1,20}$/.test(text);
}

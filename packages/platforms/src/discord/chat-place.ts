import type { ChatPlace } from '@palimpsest/core';
import { type Fields, optionalText, requiredText } from './read-fields.ts';

/** A direct chat of several people. */
const groupDirect = 3;
/** Threads of news, public and private ones: channels of their own. */
const threadTypes: ReadonlySet<unknown> = new Set([10, 11, 12]);

/**
 * Where something was said. A thread is a channel of its own on Discord, so `threadId` stays empty. What comes from direct
 * channels has no guild.
 *
 * type  of the channel; each kind of event names it elsewhere, and some do not
 */
export function chatPlace(data: Fields, type: unknown): ChatPlace {
  const isGroup = optionalText(data, 'guild_id') !== undefined || type === groupDirect;
  return {
    chatId: requiredText(data, 'channel_id'),
    threadId: '',
    kind: isGroup ? 'group' : 'direct',
    ...(threadTypes.has(type) && { isThread: true }),
  };
}

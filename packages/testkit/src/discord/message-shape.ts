/** How a stored message looks on the wire: to REST, to the gateway, and to a bot without the content intent. */
import type { Cdn } from './cdn.ts';
import { intentBit } from './intents.ts';
import { showMember, showUser, wireTime, type WireObject } from './wire-shape.ts';
import type { StoredMessage, World } from './world.ts';

/** What the shapes need to look up. */
export interface MessageSight {
  world: World;
  cdn: Cdn;
  botId: string;
}

/** A message as REST returns it: no guild_id, no member, no channel_type. */
export function showMessage(sight: MessageSight, message: StoredMessage): WireObject {
  return {
    id: message.id,
    type: message.type,
    channel_id: message.channelId,
    author: showUser(message.author),
    content: message.content,
    timestamp: wireTime(message.createdMs),
    edited_timestamp: message.editedMs === undefined ? null : wireTime(message.editedMs),
    tts: message.tts,
    mention_everyone: message.mentionEveryone,
    mentions: message.mentions.map(showUser),
    mention_roles: message.mentionRoles,
    attachments: message.attachments.map((attachment) => sight.cdn.show(message.channelId, attachment)),
    embeds: message.embeds,
    components: message.components,
    pinned: message.pinned,
    flags: message.flags,
    ...(message.nonce === undefined ? {} : { nonce: message.nonce }),
    ...showReactions(message),
    ...showReference(sight, message),
    ...(message.interactionId === undefined ? {} : { application_id: sight.botId, webhook_id: sight.botId }),
  };
}

/** The same message inside MESSAGE_CREATE or MESSAGE_UPDATE: with guild_id and member, or neither. */
export function showMessageEvent(sight: MessageSight, message: StoredMessage): WireObject {
  const channel = sight.world.channel(message.channelId);
  const shown = { ...showMessage(sight, message), channel_type: channel.type };
  if (channel.guildId === undefined) return shown;
  return { ...shown, guild_id: channel.guildId, member: showMember() };
}

/**
 * Take away what a bot without the MESSAGE_CONTENT intent may not read.
 * Kept: direct messages, the bot's own messages, messages that mention the bot.
 */
export function blankContent(data: WireObject, botId: string): WireObject {
  const authorId = (data['author'] as { id?: string } | undefined)?.id;
  const mentions = (data['mentions'] ?? []) as readonly { id: string }[];
  if (authorId === botId || mentions.some((user) => user.id === botId)) return data;
  const blank: WireObject = { ...data };
  if ('content' in blank) blank['content'] = '';
  for (const key of ['embeds', 'attachments', 'components']) if (key in blank) blank[key] = [];
  delete blank['poll'];
  const referenced = data['referenced_message'] as WireObject | null | undefined;
  if (referenced) blank['referenced_message'] = blankContent(referenced, botId);
  return blank;
}

/** A gateway event as a session with these intents gets it. */
export function blankEvent(
  event: string,
  data: WireObject,
  seen: { intents: number; botId: string },
): WireObject {
  const isMessage = event === 'MESSAGE_CREATE' || event === 'MESSAGE_UPDATE';
  if (!isMessage || data['guild_id'] === undefined) return data;
  return (seen.intents & intentBit.messageContent) === 0 ? blankContent(data, seen.botId) : data;
}

function showReactions(message: StoredMessage): WireObject {
  if (message.ownReactions.size === 0) return {};
  const counts = {
    count_details: { burst: 0, normal: 1 },
    burst_colors: [],
    me_burst: false,
    burst_me: false,
  };
  const reactions = [...message.ownReactions].map((name) => ({
    emoji: { id: null, name },
    count: 1,
    me: true,
    ...counts,
  }));
  return { reactions };
}

function showReference(sight: MessageSight, message: StoredMessage): WireObject {
  if (message.reference === undefined) return {};
  const { messageId, channelId, forward } = message.reference;
  const guildId = sight.world.channels.get(channelId)?.guildId;
  const place = {
    channel_id: channelId,
    message_id: messageId,
    ...(guildId === undefined ? {} : { guild_id: guildId }),
  };
  const target = sight.world.message(channelId, messageId);
  if (forward)
    return {
      message_reference: { type: 1, ...place },
      message_snapshots: [{ message: showSnapshot(sight, target) }],
    };
  // A reply whose target is gone has null here; the target's own reply is not nested a second time.
  const referenced = target === undefined ? null : showMessage(sight, { ...target, reference: undefined });
  return { message_reference: { type: 0, ...place }, referenced_message: referenced };
}

function showSnapshot(sight: MessageSight, target: StoredMessage | undefined): WireObject {
  if (target === undefined) return {};
  const {
    type,
    content,
    mentions,
    mention_roles,
    attachments,
    embeds,
    timestamp,
    edited_timestamp,
    flags,
    components,
  } = showMessage(sight, target);
  return {
    type,
    content,
    mentions,
    mention_roles,
    attachments,
    embeds,
    timestamp,
    edited_timestamp,
    flags,
    components,
  };
}

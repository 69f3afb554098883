/** Routes below /channels: reading, writing, editing and deleting messages, typing, reactions. */
import { editBotMessage, postBotMessage, type MessageBody } from './bot-messages.ts';
import { blankContent, showMessage } from './message-shape.ts';
import { intentBit } from './intents.ts';
import {
  channelOf,
  messageOf,
  type FakeParts,
  type RestAnswer,
  type RestCall,
  type RestRoute,
} from './rest-call.ts';
import { invalidField, refuse } from './rest-refusal.ts';
import { compareIds, isSnowflake } from './snowflakes.ts';
import { showChannel, type WireObject } from './wire-shape.ts';
import type { StoredMessage } from './world.ts';

// Messages, edits and typing: about 5 per 5 s and channel. Reactions: 1 per 250 ms.
const fivePerFive = { limit: 5, windowMs: 5000 };
const reactionSize = { limit: 1, windowMs: 250 };
const messages = '/channels/{channel_id}/messages';
const ownReaction = `${messages}/{message_id}/reactions/{emoji_name}/@me`;

export const messageRoutes: readonly RestRoute[] = [
  { method: 'GET', template: '/channels/{channel_id}', size: fivePerFive, run: getChannel },
  { method: 'GET', template: messages, size: fivePerFive, run: listMessages },
  { method: 'POST', template: messages, size: fivePerFive, run: createMessage },
  { method: 'GET', template: `${messages}/{message_id}`, size: fivePerFive, run: getMessage },
  { method: 'PATCH', template: `${messages}/{message_id}`, size: fivePerFive, run: editMessage },
  { method: 'DELETE', template: `${messages}/{message_id}`, size: fivePerFive, run: deleteMessage },
  { method: 'POST', template: '/channels/{channel_id}/typing', size: fivePerFive, run: showTyping },
  { method: 'PUT', template: ownReaction, size: reactionSize, bucket: 'reactions', run: addReaction },
  { method: 'DELETE', template: ownReaction, size: reactionSize, bucket: 'reactions', run: removeReaction },
];

function getChannel(call: RestCall, parts: FakeParts): RestAnswer {
  return { status: 200, body: showChannel(parts.world, channelOf(call, parts)) };
}

/** A message as this bot may read it: the content intent counts for REST as granted in the portal. */
function readable(parts: FakeParts, message: StoredMessage): WireObject {
  const shown = showMessage(parts, message);
  const isDirect = parts.world.channel(message.channelId).type === 1;
  const granted = (parts.settings.intentsGranted & intentBit.messageContent) !== 0;
  return isDirect || granted ? shown : blankContent(shown, parts.botId);
}

function listMessages(call: RestCall, parts: FakeParts): RestAnswer {
  const channel = channelOf(call, parts);
  const page = choosePage(parts.world.history(channel.id), call, parts);
  return { status: 200, body: page.toReversed().map((message) => readable(parts, message)) };
}

/** The wanted page, oldest first: the messages nearest to the id that was given. */
function choosePage(history: readonly StoredMessage[], call: RestCall, parts: FakeParts): StoredMessage[] {
  const limit = readLimit(call.query);
  const [before, after, around] = (['before', 'after', 'around'] as const).map((name) =>
    readAnchor(call.query, name),
  );
  if ([before, after, around].filter((id) => id !== undefined).length > 1) {
    parts.violations.push('rest: before, after and around of a message list exclude each other');
  }
  if (after !== undefined)
    return history.filter((message) => compareIds(message.id, after) > 0).slice(0, limit);
  if (before !== undefined)
    return history.filter((message) => compareIds(message.id, before) < 0).slice(-limit);
  if (around === undefined) return history.slice(-limit);
  const older = history.filter((message) => compareIds(message.id, around) < 0).slice(-Math.floor(limit / 2));
  return [
    ...older,
    ...history.filter((message) => compareIds(message.id, around) >= 0).slice(0, limit - older.length),
  ];
}

function readLimit(query: URLSearchParams): number {
  const text = query.get('limit');
  if (text === null) return 50;
  const limit = Number(text);
  if (!Number.isInteger(limit))
    throw invalidField('limit', 'NUMBER_TYPE_COERCE', `Value "${text}" is not int.`);
  if (limit < 1)
    throw invalidField('limit', 'NUMBER_TYPE_MIN', 'Value should be greater than or equal to 1.');
  if (limit > 100)
    throw invalidField('limit', 'NUMBER_TYPE_MAX', 'Value should be less than or equal to 100.');
  return limit;
}

function readAnchor(query: URLSearchParams, name: string): string | undefined {
  const id = query.get(name) ?? undefined;
  if (id === undefined || isSnowflake(id)) return id;
  throw invalidField(name, 'NUMBER_TYPE_COERCE', `Value "${id}" is not snowflake.`);
}

function getMessage(call: RestCall, parts: FakeParts): RestAnswer {
  return { status: 200, body: readable(parts, messageOf(call, parts)) };
}

function createMessage(call: RestCall, parts: FakeParts): RestAnswer {
  const channel = channelOf(call, parts);
  const message = postBotMessage(parts, {
    channel,
    body: (call.body ?? {}) as MessageBody,
    files: call.files,
  });
  return { status: 200, body: showMessage(parts, message) };
}

function editMessage(call: RestCall, parts: FakeParts): RestAnswer {
  const message = messageOf(call, parts);
  if (message.author.id !== parts.botId) throw refuse.notOurMessage();
  return {
    status: 200,
    body: editBotMessage(parts, message, { body: (call.body ?? {}) as MessageBody, files: call.files }),
  };
}

function deleteMessage(call: RestCall, parts: FakeParts): RestAnswer {
  const message = messageOf(call, parts);
  const channel = parts.world.channel(message.channelId);
  if (message.author.id !== parts.botId)
    throw channel.type === 1 ? refuse.directMessageOnly() : refuse.missingPermissions();
  parts.world.remove(channel.id, message.id);
  parts.sentBox.removed(message);
  const place = channel.guildId === undefined ? {} : { guild_id: channel.guildId };
  parts.gateway.dispatch('MESSAGE_DELETE', { id: message.id, channel_id: channel.id, ...place });
  return { status: 204 };
}

function showTyping(call: RestCall, parts: FakeParts): RestAnswer {
  channelOf(call, parts);
  return { status: 204 };
}

function addReaction(call: RestCall, parts: FakeParts): RestAnswer {
  const message = messageOf(call, parts);
  message.ownReactions.add(emojiOf(call));
  parts.gateway.dispatch('MESSAGE_REACTION_ADD', reactionEvent(parts, message, emojiOf(call)));
  return { status: 204 };
}

function removeReaction(call: RestCall, parts: FakeParts): RestAnswer {
  const message = messageOf(call, parts);
  if (!message.ownReactions.delete(emojiOf(call))) throw refuse.unknownEmoji();
  parts.gateway.dispatch('MESSAGE_REACTION_REMOVE', reactionEvent(parts, message, emojiOf(call)));
  return { status: 204 };
}

/** A Unicode emoji, or `name:id`; plain words are no emoji (10014). */
function emojiOf(call: RestCall): string {
  const emoji = call.params['emoji_name'] ?? '';
  if (/^\w+:\d+$/.test(emoji) || /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(emoji))
    return emoji;
  throw refuse.unknownEmoji();
}

function reactionEvent(parts: FakeParts, message: StoredMessage, name: string): WireObject {
  const guildId = parts.world.channel(message.channelId).guildId;
  return {
    user_id: parts.botId,
    type: 0,
    message_id: message.id,
    message_author_id: message.author.id,
    emoji: { id: null, name },
    channel_id: message.channelId,
    burst: false,
    ...(guildId === undefined ? {} : { guild_id: guildId }),
  };
}

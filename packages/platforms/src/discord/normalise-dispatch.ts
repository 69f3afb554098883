/** Gateway events of Discord become updates of ours: MESSAGE_CREATE → message, MESSAGE_UPDATE → edit, MESSAGE_DELETE → deleted, the rest → ignored. */
import type { ChatPlace, IgnoredReason, IncomingContent, IncomingUpdate, Sender } from '@palimpsest/core';
import { createHash } from 'node:crypto';
import { parseCommand } from '../parse-command.ts';
import { chatPlace } from './chat-place.ts';
import { snapshotsOf } from './message-snapshots.ts';
import { readAttachments } from './read-attachments.ts';
import { normaliseInteraction, readInteraction } from './normalise-interaction.ts';
import {
  FieldProblem,
  isFields,
  listOfFields,
  optionalFields,
  optionalText,
  requiredFields,
  requiredText,
  requiredTime,
  type Fields,
} from './read-fields.ts';

/** The bot's own user: told by READY. */
export interface BotUser {
  id: string;
  name: string | null;
}

/**
 * Events that are handed to the store. All others (presence, typing, members, guilds, channels, voice …) say nothing to
 * the bot and come in floods, so they are let go where they arrive.
 */
export const storedDispatches: ReadonlySet<string> = new Set([
  'MESSAGE_CREATE',
  'MESSAGE_UPDATE',
  'MESSAGE_DELETE',
  'MESSAGE_DELETE_BULK',
  'MESSAGE_REACTION_ADD',
  'MESSAGE_REACTION_REMOVE',
  'INTERACTION_CREATE',
]);

/** Message types with a text a person wrote: a plain message and a reply; all others are notes of Discord's own. */
const spokenTypes: ReadonlySet<unknown> = new Set([0, 19]);

/** Discord's clients stop at 2,000 characters; a text this long is likely to go on in the next message. */
const nearTheLimit = 1_900;

/**
 * Turn one dispatch into an update. Never throws: what cannot be read becomes `unparsed`.
 *
 * type  the `t` of the frame, for example MESSAGE_CREATE
 * data  the `d` of the frame; `raw` is its JSON
 */
export function normaliseDispatch(type: string, data: unknown, bot: BotUser): IncomingUpdate {
  const json = JSON.stringify(data) ?? 'null';
  const raw = new TextEncoder().encode(json);
  try {
    return { updateKey: keyOf(type, data, json), raw, content: contentOf(type, data, bot) };
  } catch (thrown) {
    const problem = thrown instanceof FieldProblem ? thrown.message : 'unexpected shape';
    return {
      updateKey: hashKey(type, json),
      raw,
      content: { kind: 'unparsed', problem: `${type}: ${problem}` },
    };
  }
}

/** The same message by gateway and by backfill has one key; so has an edit that previews and pins repeat. */
function keyOf(type: string, data: unknown, json: string): string {
  if (isFields(data)) {
    const id = optionalText(data, 'id');
    const editedAt = optionalText(data, 'edited_timestamp');
    if (type === 'MESSAGE_CREATE' && id) return `message:${id}`;
    if (type === 'INTERACTION_CREATE' && id) return `interaction:${id}`;
    if (type === 'MESSAGE_UPDATE' && id && editedAt) return `edit:${id}:${editedAt}`;
  }
  return hashKey(type, json);
}

function hashKey(type: string, json: string): string {
  return `${type}:${createHash('sha256').update(json).digest('hex').slice(0, 32)}`;
}

function contentOf(type: string, data: unknown, bot: BotUser): IncomingContent {
  if (type === 'MESSAGE_DELETE' || type === 'MESSAGE_DELETE_BULK') return deletionOf(data);
  if (type === 'INTERACTION_CREATE' && isFields(data)) {
    const interaction = readInteraction(data);
    if (interaction) return normaliseInteraction(data, interaction);
  }
  if (type !== 'MESSAGE_CREATE' && type !== 'MESSAGE_UPDATE') return otherEvent(type, data);
  if (!isFields(data)) throw new FieldProblem('the event has no object');
  // A link preview or a pin: nobody changed the text. Old servers send only the changed fields.
  const isEdit = type === 'MESSAGE_UPDATE';
  if (isEdit && typeof data['edited_timestamp'] !== 'string') return otherEvent(type, data);
  const { chat, sender } = { chat: chatPlace(data, data['channel_type']), sender: senderOf(data) };
  const media = isEdit ? [] : readAttachments(data);
  const text = textOf(data);
  const hasMedia = media.some(({ isAnswered }) => !isAnswered);
  const refused = refusalOf(data, { sender, bot, isEmpty: text === '' && !hasMedia });
  if (refused) return { kind: 'ignored', ...refused, chat, sender };
  const spoken = { chat, sender, messageId: requiredText(data, 'id'), text };
  if (isEdit) return { kind: 'edit', ...spoken, editedAt: requiredTime(data, 'edited_timestamp') };
  const sentAt = requiredTime(data, 'timestamp');
  return {
    kind: 'message',
    ...spoken,
    sentAt,
    ...(media.length > 0 && { media }),
    ...addressOf(data, chat, bot),
    ...seriesOf(data, text),
  };
}

/** What was written, and what is passed on: a message that passes another on has no text of its own. */
function textOf(data: Fields): string {
  const passedOn = snapshotsOf(data).map((snapshot) => optionalText(snapshot, 'content') ?? '');
  return [requiredText(data, 'content'), ...passedOn].filter((text) => text !== '').join('\n');
}

/** Of what a message may be a piece; the words to what is passed on come right behind it. */
function seriesOf(data: Fields, text: string): { series?: string } {
  if (snapshotsOf(data).length > 0) return { series: 'forwards' };
  return text.length >= nearTheLimit ? { series: 'text' } : {};
}

/** Ids and nothing else. No `chat`: a deletion is stored even while the gap before it is open. */
function deletionOf(data: unknown): IncomingContent {
  if (!isFields(data)) throw new FieldProblem('the event has no object');
  const ids = Array.isArray(data['ids']) ? data['ids'] : [requiredText(data, 'id')];
  const messageIds = ids.filter((id) => typeof id === 'string');
  return { kind: 'deleted', chatId: requiredText(data, 'channel_id'), messageIds };
}

function refusalOf(
  data: Fields,
  { sender, bot, isEmpty }: { sender: Sender; bot: BotUser; isEmpty: boolean },
): { reason: IgnoredReason; what: string } | null {
  if (sender.id === bot.id) return { reason: 'own_message', what: 'message' };
  // A webhook writes under any name it likes; other bots are judged by the config.
  if (data['webhook_id'] !== undefined) return { reason: 'bot_author', what: 'webhook message' };
  if (!spokenTypes.has(data['type']))
    return { reason: 'unsupported_kind', what: `message type ${String(data['type'])}` };
  if (isEmpty) return { reason: 'no_text', what: emptyWord(data) };
  return null;
}

/** What a message without text is, for the operator who looks why it got no answer. */
function emptyWord(data: Fields): string {
  if (snapshotsOf(data).length > 0) return 'forward';
  return 'message without text';
}

function addressOf(data: Fields, chat: ChatPlace, bot: BotUser) {
  const text = requiredText(data, 'content');
  const target = optionalFields(data, 'referenced_message');
  const mentioned =
    listOfFields(data, 'mentions').some((user) => user['id'] === bot.id) || mentionOf(bot).test(text);
  const answersUs = target !== undefined && optionalFields(target, 'author')?.['id'] === bot.id;
  return {
    addressed: chat.kind === 'direct' || mentioned || answersUs,
    replyTo: target === undefined ? undefined : replyOf(target),
    command: parseCommand(withoutLeadingMention(text, bot), bot.name) ?? undefined,
  };
}

function mentionOf(bot: BotUser): RegExp {
  return new RegExp(`<@!?${bot.id}>`);
}

function withoutLeadingMention(text: string, bot: BotUser): string {
  const start = text.trimStart();
  return start.replace(new RegExp(`^<@!?${bot.id}>\\s*`), '');
}

function replyOf(target: Fields): { messageId: string; text: string; senderName: string } {
  const author = optionalFields(target, 'author');
  return {
    messageId: requiredText(target, 'id'),
    text: optionalText(target, 'content') ?? '',
    senderName: author === undefined ? '' : nameOf(author),
  };
}

function senderOf(data: Fields): Sender {
  const author = requiredFields(data, 'author');
  const nick = optionalText(optionalFields(data, 'member') ?? {}, 'nick');
  const isBot = author['bot'] === true || author['system'] === true || typeof data['webhook_id'] === 'string';
  return { id: requiredText(author, 'id'), name: nick || nameOf(author), isBot };
}

function nameOf(user: Fields): string {
  return optionalText(user, 'global_name') || optionalText(user, 'username') || requiredText(user, 'id');
}

function otherEvent(type: string, data: unknown): IncomingContent {
  const channelId = isFields(data) ? optionalText(data, 'channel_id') : undefined;
  const chat = isFields(data) && channelId !== undefined ? chatPlace(data, data['channel_type']) : undefined;
  return { kind: 'ignored', reason: 'unsupported_kind', what: type, chat };
}

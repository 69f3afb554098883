/** A message or an edited message: place → who → service notice? → text → addressed, reply, command. */
import type { ChatPlace, IncomingContent, IncomingMedia, IncomingMessage, Sender } from '@palimpsest/core';
import { parseCommand } from '../parse-command.ts';
import { idIn, isObject, objectIn, textIn, type JsonObject } from './read-json.ts';
import { isAddressed } from './is-addressed.ts';
import type { BotIdentity } from './bot-identity.ts';
import { readMedia } from './read-media.ts';
import { shownIn } from './shown-in.ts';
import { nameOf, readSender } from './read-sender.ts';

/** Clients cut a long text into pieces of 4,096; a piece from here on may have a successor. */
const cutPieceUnits = 4000;

/** `message` is of any shape; a message that lacks what every message has is `unparsed`. */
export function normaliseMessage(
  message: JsonObject,
  { bot, isEdit }: { bot: BotIdentity; isEdit: boolean },
): IncomingContent {
  const messageId = idIn(message.message_id);
  const chat = readPlace(message);
  const sender = readSender(message);
  if (messageId === null) return { kind: 'unparsed', problem: 'a message without message_id' };
  if (chat === null) return { kind: 'unparsed', problem: 'a message without a chat' };
  if (chat === 'channel') return { kind: 'ignored', reason: 'unsupported_kind', what: 'channel message' };
  if (sender === null) return { kind: 'unparsed', problem: 'a message without a sender' };
  const migrated = readMigration(message, chat);
  if (migrated) return migrated;
  const media = isEdit ? null : readMedia(message);
  // A live location is edited every few seconds: only its first place is told.
  const text = textOf(message) ?? (isEdit ? null : shownIn(message));
  const ignored = whyIgnored(message, { sender, bot, isEmpty: text === null && media === null });
  if (ignored) return { kind: 'ignored', ...ignored, chat, sender };
  const common = { chat, sender, messageId, text: text ?? '' };
  if (isEdit)
    return {
      kind: 'edit',
      ...common,
      editedAt: dateIn(message.edit_date) ?? dateIn(message.date) ?? new Date(0),
    };
  const sentAt = dateIn(message.date);
  if (sentAt === null) return { kind: 'unparsed', problem: 'a message without a date' };
  const files = [...(media ? [media] : []), ...answeredMedia(message)];
  const extras = readExtras(message, chat, bot);
  return { kind: 'message', ...common, sentAt, ...(files.length > 0 && { media: files }), ...extras };
}

/** The file of the message that is answered, here or in another chat. Of an album its caption's part speaks for all. */
function answeredMedia(message: JsonObject): readonly IncomingMedia[] {
  if (textIn(message.media_group_id) !== null && textOf(message) === null) return [];
  const target = objectIn(message.reply_to_message) ?? objectIn(message.external_reply);
  const media = target && readMedia(target);
  return media ? [{ ...media, isAnswered: true }] : [];
}

type Extras = Pick<IncomingMessage, 'addressed' | 'replyTo' | 'series' | 'command'>;

function readExtras(message: JsonObject, chat: ChatPlace, bot: BotIdentity): Extras {
  // Someone else's words that are passed on are no order to us, and a caption is about its picture.
  const isForward = isObject(message.forward_origin);
  const command = isForward ? null : parseCommand(textIn(message.text) ?? '', bot.username);
  const replyTo = readReply(message);
  const series = command === null ? seriesOf(message, isForward) : null;
  return {
    addressed: chat.kind === 'direct' || command !== null || isAddressed(message, bot),
    ...(series !== null && { series }),
    ...(replyTo && { replyTo }),
    ...(command && { command }),
  };
}

/** Of what a message may be a piece. */
function seriesOf(message: JsonObject, isForward: boolean): string | null {
  const albumId = textIn(message.media_group_id);
  if (albumId !== null) return `album:${albumId}`;
  if (isForward) return 'forwards';
  return (textOf(message) ?? '').length >= cutPieceUnits ? 'text' : null;
}

function readPlace(message: JsonObject): ChatPlace | 'channel' | null {
  const chat = objectIn(message.chat);
  const chatId = idIn(chat?.id);
  if (!chat || chatId === null) return null;
  if (chat.type === 'channel') return 'channel';
  if (chat.type !== 'private' && chat.type !== 'group' && chat.type !== 'supergroup') return null;
  const title = textIn(chat.title) ?? nameOf(chat);
  return {
    chatId,
    threadId: readThread(message),
    kind: chat.type === 'private' ? 'direct' : 'group',
    ...(title !== null && { title }),
  };
}

/** Reply chains of ordinary groups carry a thread id too; only is_topic_message makes it a topic. General (1) is the chat itself. */
function readThread(message: JsonObject): string {
  const threadId = message.is_topic_message === true ? idIn(message.message_thread_id) : null;
  return threadId === null || threadId === '1' ? '' : threadId;
}

function readMigration(message: JsonObject, chat: ChatPlace): IncomingContent | null {
  const to = idIn(message.migrate_to_chat_id);
  if (to !== null) return { kind: 'chat_migrated', fromChatId: chat.chatId, toChatId: to };
  const from = idIn(message.migrate_from_chat_id);
  return from === null ? null : { kind: 'chat_migrated', fromChatId: from, toChatId: chat.chatId };
}

type Ignored = Pick<Extract<IncomingContent, { kind: 'ignored' }>, 'reason' | 'what'>;

function whyIgnored(
  message: JsonObject,
  { sender, bot, isEmpty }: { sender: Sender; bot: BotIdentity; isEmpty: boolean },
): Ignored | null {
  if (sender.id === bot.id) return { reason: 'own_message', what: 'message' };
  // A post of the linked channel, put into its group by Telegram: not written to anyone in it.
  if (message.is_automatic_forward === true) return { reason: 'unsupported_kind', what: 'automatic forward' };
  if (isEmpty) return { reason: 'no_text', what: contentOf(message) };
  return null;
}

/** The text, or what stands under a picture or file. */
function textOf(message: JsonObject): string | null {
  return textIn(message.text) ?? textIn(message.caption);
}

// Fields that most messages have; the first other one names the content.
const common = new Set(
  (
    'message_id message_thread_id is_topic_message direct_messages_topic from sender_chat sender_boost_count sender_business_bot sender_tag ' +
    'date business_connection_id chat forward_origin is_automatic_forward reply_to_message external_reply quote reply_to_story ' +
    'reply_to_checklist_task_id reply_to_poll_option_id via_bot edit_date has_protected_content is_from_offline is_paid_post media_group_id ' +
    'author_signature paid_star_count link_preview_options effect_id reply_markup has_media_spoiler show_caption_above_media'
  ).split(' '),
);

function contentOf(message: JsonObject): string {
  return Object.keys(message).find((key) => !common.has(key)) ?? 'nothing';
}

/** The message this one answers, with the part of it that was quoted; the notice that opened a topic is none. */
function readReply(message: JsonObject): IncomingMessage['replyTo'] | null {
  const reply = objectIn(message.reply_to_message);
  const messageId = idIn(reply?.message_id);
  if (!reply || messageId === null || isObject(reply.forum_topic_created)) return null;
  const text = textIn(objectIn(message.quote)?.text) ?? textOf(reply) ?? shownIn(reply) ?? '';
  return { messageId, text, senderName: readSender(reply)?.name ?? '' };
}

function dateIn(value: unknown): Date | null {
  return Number.isSafeInteger(value) ? new Date(Number(value) * 1000) : null;
}

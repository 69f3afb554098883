/** Which message a new message answers, and in which topic it stands. */
import { badRequest } from './api-error.ts';
import type { ChatRecord, StoredMessage } from './chat-book.ts';
import { findTopic } from './find-topic.ts';
import type { Message } from './types.ts';

/** Parameters that decide the place of a message. */
export interface PlaceParams {
  readonly message_thread_id?: number;
  readonly reply_parameters?: ReplyParams;
}

interface ReplyParams {
  readonly message_id: number;
  readonly chat_id?: number | string;
  readonly allow_sending_without_reply?: boolean;
  readonly quote?: string;
}

/** Fields of the new message that say where it stands. */
export type Place = Partial<
  Pick<Message, 'reply_to_message' | 'message_thread_id' | 'is_topic_message' | 'quote'>
>;

/** Find the place; throws 400 for missing replies and topics. */
export function findPlace(record: ChatRecord, params: PlaceParams): Place {
  const wanted = params.message_thread_id;
  if (wanted !== undefined) findTopic(record, wanted);
  const reply = findReply(record, params);
  // A reply alone puts the message in the topic of the message it answers.
  const threadId = wanted ?? (reply?.message.is_topic_message ? reply.message.message_thread_id : undefined);
  return {
    ...topicPlace(record, threadId),
    ...(reply && { reply_to_message: withoutReply(reply.message) }),
    ...(reply &&
      params.reply_parameters?.quote !== undefined &&
      quoteOf(reply.message, params.reply_parameters.quote)),
  };
}

/** Fields of a message in a topic: it points at the topic's service message unless it answers another. */
export function topicPlace(record: ChatRecord, threadId: number | undefined): Place {
  if (threadId === undefined) return {};
  const topic = findTopic(record, threadId);
  return {
    message_thread_id: threadId,
    is_topic_message: true,
    reply_to_message: topic.serviceMessage,
  };
}

/** A message as it stands inside another: without its own reply. */
export function withoutReply(message: Message): Message {
  const { reply_to_message: _reply, ...rest } = message;
  return rest;
}

function findReply(record: ChatRecord, params: PlaceParams): StoredMessage | undefined {
  const wanted = params.reply_parameters;
  if (!wanted) return undefined;
  const foreign = wanted.chat_id !== undefined && wanted.chat_id !== record.chat.id;
  const found = foreign ? undefined : record.messages.get(wanted.message_id);
  const thread = found?.message.is_topic_message ? found.message.message_thread_id : undefined;
  const otherTopic =
    found !== undefined && params.message_thread_id !== undefined && thread !== params.message_thread_id;
  if (found && !otherTopic) return found;
  // allow_sending_without_reply does not count across chats and topics.
  if (wanted.allow_sending_without_reply && !otherTopic && !foreign) return undefined;
  throw badRequest('message to be replied not found');
}

function quoteOf(message: Message, quote: string): Pick<Message, 'quote'> {
  const position = (message.text ?? message.caption ?? '').indexOf(quote);
  if (position === -1) throw badRequest('QUOTE_TEXT_INVALID');
  return { quote: { text: quote, position, is_manual: true } };
}

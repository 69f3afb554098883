/** Puts a message of the bot into a chat: chat → markup → place → limits → stored and visible. */
import { findPlace, type PlaceParams } from './find-reply.ts';
import { readInlineMarkup } from './read-markup.ts';
import { nowSeconds, type ServerState } from './server-state.ts';
import type { Message, ReplyMarkup } from './types.ts';

/** Parameters that every sending method has. */
export interface SendParams extends PlaceParams {
  readonly chat_id: number | string;
  readonly reply_markup?: ReplyMarkup;
  readonly protect_content?: boolean;
}

/** Store the message and give it as the result; throws ApiError as the server does. */
export function placeMessage(state: ServerState, params: SendParams, content: Partial<Message>): Message {
  const record = state.chats.findWritable(params.chat_id);
  const markup = readInlineMarkup(params.reply_markup);
  const place = findPlace(record, params);
  state.flood.pass(record.chat);
  const message: Message = {
    message_id: state.chats.nextMessageId(record.chat),
    from: state.me,
    chat: record.chat,
    date: nowSeconds(state),
    ...place,
    ...content,
    ...(markup && { reply_markup: markup }),
    ...(params.protect_content && { has_protected_content: true }),
  };
  const otherMarkup = params.reply_markup !== undefined && params.reply_markup.inline_keyboard === undefined;
  const stored = { message, edits: [], fromBot: true, otherMarkup };
  record.messages.set(message.message_id, stored);
  // A real message takes the place of a draft.
  state.drafts.delete(record.chat.id);
  state.sent.announce(stored, false);
  return message;
}

/** editMessageText, editMessageCaption, editMessageReplyMarkup. */
import { isDeepStrictEqual } from 'node:util';
import { badRequest } from '../api-error.ts';
import type { StoredMessage } from '../chat-book.ts';
import { readInlineMarkup } from '../read-markup.ts';
import { method, nowSeconds, type Handler, type ServerState } from '../server-state.ts';
import { readCaption, readText, type CaptionParams, type TextParams } from '../text/read-text.ts';
import type { Message, ReplyMarkup } from '../types.ts';

interface EditParams {
  readonly chat_id?: number | string;
  readonly message_id?: number;
  readonly inline_message_id?: string;
  readonly rich_message?: unknown;
  readonly reply_markup?: ReplyMarkup;
}

const SAME =
  'message is not modified: specified new message content and reply markup are exactly the same as a ' +
  'current content and reply markup of the message';

/** Methods that change a message of the bot. */
export const editMethods: Record<string, Handler> = {
  editMessageText: method<EditParams & TextParams>((state, params) => {
    if (params.rich_message !== undefined)
      return refuseUnsupported(state, 'editMessageText with rich_message');
    const { text, entities } = readText(params, 'MESSAGE_TOO_LONG');
    const stored = findEditable(state, params);
    if (stored.message.text === undefined) throw badRequest('there is no text in the message to edit');
    const content = { text, entities: entities.length > 0 ? entities : undefined };
    return applyEdit(state, stored, { content, markup: params.reply_markup });
  }),

  editMessageCaption: method<EditParams & CaptionParams>((state, params) => {
    const caption = readCaption(params, 'MEDIA_CAPTION_TOO_LONG');
    const stored = findEditable(state, params);
    if (stored.message.text !== undefined) throw badRequest('there is no caption in the message to edit');
    const content = { caption: undefined, caption_entities: undefined, ...caption };
    return applyEdit(state, stored, { content, markup: params.reply_markup });
  }),

  editMessageReplyMarkup: method<EditParams>((state, params) =>
    applyEdit(state, findEditable(state, params), { content: {}, markup: params.reply_markup }),
  ),
};

function findEditable(state: ServerState, params: EditParams): StoredMessage {
  if (params.inline_message_id !== undefined) return refuseUnsupported(state, 'editing inline messages');
  if (params.chat_id === undefined) throw badRequest('chat_id is empty');
  if (params.message_id === undefined) throw badRequest('message identifier is not specified');
  const record = state.chats.findWritable(params.chat_id);
  const stored = record.messages.get(params.message_id);
  if (!stored) throw badRequest('message to edit not found');
  if (!stored.fromBot || stored.otherMarkup) throw badRequest("message can't be edited");
  return stored;
}

function applyEdit(
  state: ServerState,
  stored: StoredMessage,
  change: { content: Partial<Message>; markup: ReplyMarkup | undefined },
): Message {
  const { reply_markup: _old, ...before } = stored.message;
  const markup = readInlineMarkup(change.markup);
  const after = dropUndefined({ ...before, ...change.content, reply_markup: markup });
  if (isDeepStrictEqual(after, stored.message)) throw badRequest(SAME);
  state.flood.pass(stored.message.chat);
  const oldText = before.text ?? before.caption ?? '';
  if (oldText !== (after.text ?? after.caption ?? '')) stored.edits.push(oldText);
  stored.message = { ...after, edit_date: nowSeconds(state) };
  state.sent.announce(stored, true);
  return stored.message;
}

function dropUndefined(message: Message): Message {
  for (const [name, value] of Object.entries(message)) if (value === undefined) delete message[name];
  return message;
}

function refuseUnsupported(state: ServerState, what: string): never {
  state.violations.push(`the fake does not offer ${what}`);
  throw badRequest('the fake does not offer this');
}

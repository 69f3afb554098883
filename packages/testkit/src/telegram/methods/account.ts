/** getMe, getChat, getFile, leaveChat, answerCallbackQuery. */
import { badRequest } from '../api-error.ts';
import { method, type CallbackAnswer, type Handler } from '../server-state.ts';

const DOWNLOAD_BYTES = 20 * 1024 * 1024;
/** It is guaranteed that a link is valid for at least an hour; here it is not valid for longer. */
const LINK_MS = 60 * 60_000;
const CALLBACK_TEXT = 200;

/** Methods about the bot, chats and files. */
export const accountMethods: Record<string, Handler> = {
  getMe: method((state) => ({
    ...state.me,
    can_join_groups: true,
    can_read_all_group_messages: state.hearsAll,
    supports_inline_queries: false,
  })),

  getChat: method<{ chat_id: number | string }>((state, params) => {
    const { chat } = state.chats.find(params.chat_id);
    const gifts = {
      unlimited_gifts: false,
      limited_gifts: false,
      unique_gifts: false,
      premium_subscription: false,
      gifts_from_channels: false,
    };
    return { ...chat, accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: gifts };
  }),

  leaveChat: method<{ chat_id: number | string }>((state, params) => {
    state.chats.findWritable(params.chat_id).status = 'kicked';
    return true;
  }),

  getFile: method<{ file_id: string }>((state, params) => {
    const file = state.files.get(params.file_id);
    if (!file) throw badRequest('invalid file_id');
    if (file.size > DOWNLOAD_BYTES) throw badRequest('file is too big');
    const { file_id, file_path, size } = file;
    state.links.set(file_path, state.clock.now().getTime() + LINK_MS);
    return { file_id, file_unique_id: `unique-${file_id}`, file_size: size, file_path };
  }),

  answerCallbackQuery: method<CallbackAnswer>((state, params) => {
    if (!state.openCallbacks.delete(params.callback_query_id)) {
      throw badRequest('query is too old and response timeout expired or query ID is invalid');
    }
    if ([...(params.text ?? '')].length > CALLBACK_TEXT) throw badRequest('MESSAGE_TOO_LONG');
    state.callbackAnswers.push(params);
    return true;
  }),
};

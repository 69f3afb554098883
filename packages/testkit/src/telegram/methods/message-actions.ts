/** deleteMessage(s), setMessageReaction, sendChatAction. */
import { badRequest } from '../api-error.ts';
import type { ChatRecord } from '../chat-book.ts';
import { findTopic } from '../find-topic.ts';
import { method, nowSeconds, type Handler, type ServerState } from '../server-state.ts';

const DELETABLE_SECONDS = 48 * 60 * 60;
// General is topic 1; only actions may name it.
const GENERAL_TOPIC = 1;
const ACTIONS = new Set(
  (
    'typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker ' +
    'find_location record_video_note upload_video_note'
  ).split(' '),
);

interface MessageRef {
  readonly chat_id: number | string;
  readonly message_id: number;
}

interface Reaction {
  readonly type: string;
  readonly emoji?: string;
}

/** Methods that act on messages or chats without writing. */
export const messageActionMethods: Record<string, Handler> = {
  deleteMessage: method<MessageRef>((state, { chat_id, message_id }) => {
    const record = state.chats.find(chat_id);
    const refusal = whyNotDeletable(state, record, message_id);
    if (refusal !== undefined) throw badRequest(refusal);
    record.messages.delete(message_id);
    return true;
  }),

  deleteMessages: method<{ chat_id: number | string; message_ids: number[] }>((state, params) => {
    const record = state.chats.find(params.chat_id);
    // Those that cannot be found or deleted are skipped in silence.
    for (const id of params.message_ids) {
      if (whyNotDeletable(state, record, id) === undefined) record.messages.delete(id);
    }
    return true;
  }),

  setMessageReaction: method<MessageRef & { reaction?: Reaction[] }>((state, params) => {
    const record = state.chats.findWritable(params.chat_id);
    if (!record.messages.has(params.message_id)) throw badRequest('message to react not found');
    const [reaction, ...more] = params.reaction ?? [];
    if (more.length > 0) throw badRequest('REACTIONS_TOO_MANY');
    const key = `${record.chat.id}:${params.message_id}`;
    if (!reaction) state.reactions.delete(key);
    else state.reactions.set(key, checkedEmoji(state, reaction));
    return true;
  }),

  sendChatAction: method<{ chat_id: number | string; action: string; message_thread_id?: number }>(
    (state, params) => {
      const record = state.chats.findWritable(params.chat_id);
      const threadId = params.message_thread_id;
      if (!ACTIONS.has(params.action)) throw badRequest('wrong parameter action in request');
      const isGeneral = record.chat.is_forum && threadId === GENERAL_TOPIC;
      if (threadId !== undefined && !isGeneral) findTopic(record, threadId);
      const { id } = record.chat;
      state.actions.push({
        chatId: id,
        action: params.action,
        ...(threadId !== undefined && { threadId }),
      });
      return true;
    },
  ),
};

function whyNotDeletable(state: ServerState, record: ChatRecord, messageId: number): string | undefined {
  const stored = record.messages.get(messageId);
  if (!stored) return 'message to delete not found';
  // The bot is no administrator here, so in groups it may delete only its own messages.
  const isOthers = !stored.fromBot && record.chat.type !== 'private';
  const isOld = nowSeconds(state) - stored.message.date >= DELETABLE_SECONDS;
  if (isOthers) return "message can't be deleted";
  return isOld ? "message can't be deleted for everyone" : undefined;
}

function checkedEmoji(state: ServerState, reaction: Reaction): string {
  const fields = state.checker.schema.types.ReactionTypeEmoji?.fields ?? [];
  const description = fields.find((field) => field.name === 'emoji')?.description ?? '';
  const allowed = [...description.matchAll(/"([^"]+)"/g)].map((match) => match[1]);
  const { emoji } = reaction;
  if (emoji === undefined || !allowed.includes(emoji)) throw badRequest('REACTION_INVALID');
  return emoji;
}

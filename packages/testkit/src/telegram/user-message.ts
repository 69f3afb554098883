/** Builds what people send, as updates the schema accepts. */
import type { ChatRecord } from './chat-book.ts';
import { topicPlace, withoutReply } from './find-reply.ts';
import { nowSeconds, type ServerState } from './server-state.ts';
import { findEntities } from './text/find-entities.ts';
import type { Entity, Message, User } from './types.ts';

/** A person: a whole user, or an id for one with a made-up name. */
export type Sender = number | (Partial<User> & { id: number });

/** What a person sends or edits. */
export interface UserMessage {
  readonly chatId: number;
  /** Default: the person of the private chat. */
  readonly from?: Sender;
  readonly text?: string;
  readonly messageId?: number;
  /** Unix seconds; default now. For edits the edit date. */
  readonly date?: number;
  /** Id of the message this one answers; it must exist. */
  readonly replyTo?: number;
  /** Topic; it must exist. Leave out for General. */
  readonly threadId?: number;
  /** Default: what Telegram would find in the text, commands among them. */
  readonly entities?: readonly Entity[];
  /** True changes the message `messageId` and gives an edited_message. */
  readonly edit?: boolean;
  /** Further fields of the message: photo, document, media_group_id, ... */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Make a whole user from what a test names. */
export function makeUser(sender: Sender): User {
  const named = typeof sender === 'number' ? { id: sender } : sender;
  return { is_bot: false, first_name: `User ${named.id}`, ...named };
}

/** Build the message and store it in its chat; throws an Error for edits of unknown messages. */
export function storeUserMessage(state: ServerState, sent: UserMessage): Message {
  const record = state.chats.find(sent.chatId);
  const message = sent.edit ? editedMessage(state, record, sent) : newMessage(state, record, sent);
  const stored = record.messages.get(message.message_id);
  if (stored) stored.message = message;
  else
    record.messages.set(message.message_id, {
      message,
      edits: [],
      fromBot: false,
      otherMarkup: false,
    });
  return message;
}

function newMessage(state: ServerState, record: ChatRecord, sent: UserMessage): Message {
  const { chat } = record;
  const message_id = sent.messageId ?? state.chats.nextMessageId(chat);
  state.chats.noteMessageId(chat, message_id);
  return {
    message_id,
    from: makeUser(sent.from ?? chat.id),
    chat,
    date: sent.date ?? nowSeconds(state),
    ...topicPlace(record, sent.threadId),
    ...replyFields(record, sent),
    ...textFields(sent),
    ...sent.fields,
  };
}

function editedMessage(state: ServerState, record: ChatRecord, sent: UserMessage): Message {
  const stored = record.messages.get(sent.messageId ?? 0);
  if (!stored || stored.fromBot) {
    throw new Error(
      `chat ${sent.chatId} has no message ${sent.messageId} of a person; send it before editing it`,
    );
  }
  const { entities: _old, ...before } = stored.message;
  return {
    ...before,
    ...textFields(sent),
    ...sent.fields,
    edit_date: sent.date ?? nowSeconds(state),
  };
}

function textFields(sent: UserMessage): Pick<Message, 'text' | 'entities'> {
  if (sent.text === undefined) return {};
  const entities = sent.entities ?? findEntities(sent.text);
  return { text: sent.text, ...(entities.length > 0 && { entities: [...entities] }) };
}

function replyFields(record: ChatRecord, sent: UserMessage): Partial<Message> {
  if (sent.replyTo === undefined) return {};
  const stored = record.messages.get(sent.replyTo);
  if (!stored) throw new Error(`chat ${sent.chatId} has no message ${sent.replyTo} to answer`);
  const reply_to_message = withoutReply(stored.message);
  // Reply chains of plain supergroups carry a thread id too, without is_topic_message.
  const isPlain = record.chat.type === 'supergroup' && !record.chat.is_forum;
  const root = stored.message.message_thread_id ?? stored.message.message_id;
  return { reply_to_message, ...(isPlain && { message_thread_id: root }) };
}

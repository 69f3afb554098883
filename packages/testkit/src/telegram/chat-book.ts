/** Chats, their topics and their messages. */
import { badRequest, forbidden } from './api-error.ts';
import type { Chat, Message } from './types.ts';

/** Whether the bot may write to a chat. */
export type ChatStatus = 'member' | 'blocked' | 'kicked' | 'not_started' | 'deactivated';

/** A message with what only the server knows of it. */
export interface StoredMessage {
  message: Message;
  /** Earlier texts or captions, oldest first. */
  readonly edits: string[];
  readonly fromBot: boolean;
  /** Sent with a keyboard that is not inline; such messages cannot be edited. */
  readonly otherMarkup: boolean;
}

/** A forum topic. */
export interface Topic {
  readonly threadId: number;
  readonly serviceMessage: Message;
  state: 'open' | 'closed' | 'deleted';
}

/** One chat as the server knows it. */
export interface ChatRecord {
  readonly chat: Chat;
  status: ChatStatus;
  migratedTo?: number;
  readonly topics: Map<number, Topic>;
  readonly messages: Map<number, StoredMessage>;
}

const REFUSALS: Record<Exclude<ChatStatus, 'member' | 'kicked'>, string> = {
  blocked: 'bot was blocked by the user',
  not_started: "bot can't initiate conversation with a user",
  deactivated: 'user is deactivated',
};

/** All chats of one bot. */
export class ChatBook {
  readonly #chats = new Map<number, ChatRecord>();
  readonly #lastOwn = new Map<number, number>();
  #lastShared = 0;

  /** Add a chat, or give back the one that is there. */
  add(chat: Chat): ChatRecord {
    const known = this.#chats.get(chat.id);
    if (known) return known;
    const record: ChatRecord = { chat, status: 'member', topics: new Map(), messages: new Map() };
    this.#chats.set(chat.id, record);
    return record;
  }

  /** All chats, in the order they were added. */
  all(): ChatRecord[] {
    return [...this.#chats.values()];
  }

  /** Find a chat by number, number as text, or @username; throws 400 "chat not found". */
  find(chatId: unknown): ChatRecord {
    const byName = this.all().find(({ chat }) => chat.username && `@${chat.username}` === chatId);
    const record = byName ?? this.#chats.get(Number(chatId));
    if (!record) throw badRequest('chat not found');
    return record;
  }

  /** Find a chat the bot may write to; throws as the server does for blocked and migrated ones. */
  findWritable(chatId: unknown): ChatRecord {
    const record = this.find(chatId);
    if (record.migratedTo !== undefined) {
      throw badRequest('group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: record.migratedTo,
      });
    }
    if (record.status === 'kicked') {
      const kind = record.chat.type === 'group' ? 'group' : record.chat.type;
      throw forbidden(`bot was kicked from the ${kind} chat`);
    }
    if (record.status !== 'member') throw forbidden(REFUSALS[record.status]);
    return record;
  }

  /**
   * The next message id. Supergroups and channels count for themselves; private chats and basic
   * groups share one counter, as at Telegram.
   */
  nextMessageId(chat: Chat): number {
    if (chat.type === 'private' || chat.type === 'group') return (this.#lastShared += 1);
    const next = (this.#lastOwn.get(chat.id) ?? 0) + 1;
    this.#lastOwn.set(chat.id, next);
    return next;
  }

  /** Take note of an id the test chose, so that later ones are higher. */
  noteMessageId(chat: Chat, messageId: number): void {
    if (chat.type === 'private' || chat.type === 'group') {
      this.#lastShared = Math.max(this.#lastShared, messageId);
    } else {
      this.#lastOwn.set(chat.id, Math.max(this.#lastOwn.get(chat.id) ?? 0, messageId));
    }
  }
}

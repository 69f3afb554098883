/** What people see of the bot, and how a test waits for it. */
import type { ChatBook, StoredMessage } from './chat-book.ts';
import type { Entity, Message, ReplyMarkup } from './types.ts';

/** A message of the bot as it looks now. */
export interface SentMessage {
  readonly chatId: number;
  readonly message_id: number;
  /** Text or caption; empty if it has neither. */
  readonly text: string;
  readonly entities: readonly Entity[];
  /** Earlier texts, oldest first; empty if it was never edited. */
  readonly edits: readonly string[];
  readonly reply_to?: number;
  /** Topic, if it stands in one. */
  readonly threadId?: number;
  readonly reply_markup?: ReplyMarkup;
  /** The whole message. */
  readonly message: Message;
}

/** A fresh or edited message; `edited` tells which. */
export type SentListener = (sent: SentMessage, edited: boolean) => void;

/** Watches sends and edits. */
export class SentMessages {
  readonly #chats: ChatBook;
  readonly #listeners = new Set<SentListener>();

  constructor(chats: ChatBook) {
    this.#chats = chats;
  }

  /** Visible messages of the bot in order of sending; all chats if none is named. */
  list(chatId?: number): SentMessage[] {
    return this.#chats
      .all()
      .filter(({ chat }) => chatId === undefined || chat.id === chatId)
      .flatMap((record) => [...record.messages.values()].filter(({ fromBot }) => fromBot))
      .map(viewOf);
  }

  /** Tell the listeners of a send or an edit. */
  announce(stored: StoredMessage, edited: boolean): void {
    for (const listener of this.#listeners) listener(viewOf(stored), edited);
  }

  /** Listen; returns how to stop. */
  listen(listener: SentListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Wait until a message of the bot looks as wanted, now or after a later send or edit.
   *
   * throws  an Error with the number of visible messages if the time passes
   */
  async waitFor(wanted: (sent: SentMessage) => boolean, timeoutMs: number): Promise<SentMessage> {
    const present = this.list().find(wanted);
    if (present) return present;
    const { promise, resolve, reject } = Promise.withResolvers<SentMessage>();
    const stop = this.listen((sent) => wanted(sent) && resolve(sent));
    const timer = setTimeout(() => {
      reject(new Error(`no such message within ${timeoutMs} ms; ${this.list().length} are visible`));
    }, timeoutMs);
    return promise.finally(() => {
      clearTimeout(timer);
      stop();
    });
  }
}

function viewOf({ message, edits }: StoredMessage): SentMessage {
  const { message_id, reply_to_message: reply, message_thread_id: thread, reply_markup } = message;
  const isService = reply?.forum_topic_created !== undefined;
  return {
    chatId: message.chat.id,
    message_id,
    text: message.text ?? message.caption ?? '',
    entities: message.entities ?? message.caption_entities ?? [],
    edits: [...edits],
    ...(reply && !isService && { reply_to: reply.message_id }),
    ...(thread !== undefined && { threadId: thread }),
    ...(reply_markup && { reply_markup }),
    message: structuredClone(message),
  };
}

import type { LocalChatStore } from '@palimpsest/core';

const chatsRemembered = 500;

/** The newest outbox id of a chat: where a page that has just read the history begins to listen. */
export class LastReplies {
  readonly #store: Pick<LocalChatStore, 'repliesAfter'>;
  /** The port can only list, so what was seen is where the next look starts. */
  readonly #seen = new Map<string, number>();

  constructor(store: Pick<LocalChatStore, 'repliesAfter'>) {
    this.#store = store;
  }

  async idOf(chatId: string): Promise<number> {
    const seen = this.#seen.get(chatId) ?? 0;
    const newer = await this.#store.repliesAfter(chatId, seen);
    const id = newer.at(-1)?.id ?? seen;
    if (this.#seen.size >= chatsRemembered) this.#seen.clear();
    this.#seen.set(chatId, id);
    return id;
  }
}

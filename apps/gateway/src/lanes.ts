/**
 * One thing at a time in a chat: a preview that is on its way must not arrive behind the answer that takes its place.
 * Chats go side by side.
 */
export class ChatLanes {
  readonly #last = new Map<number, Promise<unknown>>();

  /** Run `work` once everything before it in that chat has ended; its result, or what it throws. */
  run<T>(chatRowId: number, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(chatRowId) ?? Promise.resolve()).then(work);
    const ended = mine
      .catch(() => {})
      .finally(() => {
        if (this.#last.get(chatRowId) === ended) this.#last.delete(chatRowId);
      });
    this.#last.set(chatRowId, ended);
    return mine;
  }

  isBusy(chatRowId: number): boolean {
    return this.#last.has(chatRowId);
  }
}

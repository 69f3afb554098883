/**
 * One thing at a time in each lane, in the order it came; lanes go side by side. A preview that is on its way must not
 * arrive behind the answer that takes its place, nor "seen" behind "answered".
 */
export class Lanes<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();

  /** Run `work` once everything before it in that lane has ended; its result, or what it throws. */
  run<T>(lane: Key, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(lane) ?? Promise.resolve()).then(work);
    const ended = mine
      .catch(() => {})
      .finally(() => {
        if (this.#last.get(lane) === ended) this.#last.delete(lane);
      });
    this.#last.set(lane, ended);
    return mine;
  }

  isBusy(lane: Key): boolean {
    return this.#last.has(lane);
  }
}

/** Updates that wait for the bot: kept until a call with a higher offset, at most a day. */
import type { FakeTelegramClock, Update } from './types.ts';
import { isAllowed } from './update-kinds.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;

interface Pending {
  readonly update: Update;
  readonly atMs: number;
}

/** Pending updates in ascending order of id. */
export class UpdateQueue {
  readonly #clock: FakeTelegramClock;
  readonly #listeners = new Set<() => void>();
  #pending: Pending[] = [];
  #lastId: number;
  /** Setting of the last getUpdates or setWebhook that named it; persists. */
  allowed: readonly string[] = [];

  constructor(clock: FakeTelegramClock, firstId: number) {
    this.#clock = clock;
    this.#lastId = firstId - 1;
  }

  /** The id for the next update; ids ascend. */
  nextId(): number {
    return this.#lastId + 1;
  }

  /** Let the ids jump, as they do after a week of silence; may go down. */
  continueFrom(updateId: number): void {
    this.#lastId = updateId - 1;
  }

  /** Queue an update if the bot wants its kind; returns whether it was queued. */
  push(update: Update): boolean {
    this.#lastId = Math.max(this.#lastId, update.update_id);
    if (!isAllowed(update, this.allowed)) return false;
    this.#pending.push({ update, atMs: this.#clock.now().getTime() });
    for (const listener of this.#listeners) listener();
    return true;
  }

  /** Oldest first; nothing older than a day. */
  list(limit = Number.POSITIVE_INFINITY): Update[] {
    const oldest = this.#clock.now().getTime() - KEPT_MS;
    this.#pending = this.#pending.filter(({ atMs }) => atMs > oldest);
    return this.#pending.slice(0, limit).map(({ update }) => update);
  }

  /** Forget one update: the webhook took it. */
  confirm(update: Update): void {
    this.#pending = this.#pending.filter((entry) => entry.update !== update);
  }

  /** Apply an offset of getUpdates: positive confirms all lower ids, negative keeps the last n. */
  applyOffset(offset: number): void {
    if (offset < 0) this.#pending = this.#pending.slice(offset);
    else this.#pending = this.#pending.filter(({ update }) => update.update_id >= offset);
  }

  /** Throw all pending updates away. */
  clear(): void {
    this.#pending = [];
  }

  /** Be told of arrivals; returns how to stop. */
  onArrival(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

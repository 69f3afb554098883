/** The one getUpdates call that may be held open. */
import { conflict, type ApiError } from './api-error.ts';
import type { Update } from './types.ts';
import type { UpdateQueue } from './update-queue.ts';

/** One held call, seen from its end. */
export interface HoldOptions {
  readonly limit: number;
  readonly timeoutMs: number;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** Holds at most one call; a second one ends the first. */
export class LongPoll {
  readonly #queue: UpdateQueue;
  #end: ((cause: ApiError) => void) | undefined;

  constructor(queue: UpdateQueue) {
    this.#queue = queue;
  }

  /** End the held call, if any, with 409. */
  interrupt(by: string): void {
    this.#end?.(conflict(`terminated by ${by}`));
  }

  /** Give pending updates at once, else wait for the first; empty after the time is up. */
  async hold({ limit, timeoutMs, signal }: HoldOptions): Promise<Update[]> {
    this.interrupt('other getUpdates request; make sure that only one bot instance is running');
    const present = this.#queue.list(limit);
    if (present.length > 0 || timeoutMs === 0) return present;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    const stop = this.#queue.onArrival(resolve);
    const leave = () => resolve();
    signal.addEventListener('abort', leave);
    this.#end = reject;
    try {
      await promise;
      return signal.aborted ? [] : this.#queue.list(limit);
    } finally {
      clearTimeout(timer);
      stop();
      signal.removeEventListener('abort', leave);
      if (this.#end === reject) this.#end = undefined;
    }
  }
}

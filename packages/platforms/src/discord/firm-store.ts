import {
  GatewayError,
  type Clock,
  type IncomingUpdate,
  type Logger,
  type StoredUpdate,
  type StoreUpdates,
} from '@palimpsest/core';

const firstRetryMs = 250;
const longestRetryMs = 10_000;

/**
 * Store updates one batch after another, and each until it is stored: Discord sends an event once, so there is nobody
 * to ask again.
 */
export class FirmStore {
  readonly #store: StoreUpdates;
  readonly #signal: AbortSignal;
  readonly #deps: { clock: Clock; logger: Logger };
  #last: Promise<unknown> = Promise.resolve();

  /** After `signal` a batch is tried once and no more. */
  constructor(store: StoreUpdates, signal: AbortSignal, deps: { clock: Clock; logger: Logger }) {
    this.#store = store;
    this.#signal = signal;
    this.#deps = deps;
  }

  /** Throws what the store throws, and only once the signal fired. */
  put(updates: readonly IncomingUpdate[]): Promise<readonly StoredUpdate[]> {
    const mine = this.#last.then(() => this.#untilStored(updates));
    this.#last = mine.catch(() => {});
    return mine;
  }

  async #untilStored(updates: readonly IncomingUpdate[]): Promise<readonly StoredUpdate[]> {
    let waitMs = firstRetryMs;
    for (;;) {
      try {
        return await this.#store(updates);
      } catch (thrown) {
        if (this.#signal.aborted) throw thrown;
        this.#deps.logger.warn(
          { updates: updates.length, waitMs, ...faultOf(thrown) },
          'events not stored; trying again',
        );
      }
      await this.#deps.clock.sleep(waitMs, this.#signal);
      waitMs = Math.min(longestRetryMs, waitMs * 2);
    }
  }
}

/** A foreign message may quote what a person wrote, so only ours is shown. */
function faultOf(thrown: unknown): { code: string; problem?: string } {
  if (thrown instanceof GatewayError) return { code: thrown.code, problem: thrown.message };
  return { code: thrown instanceof Error ? thrown.name : typeof thrown };
}

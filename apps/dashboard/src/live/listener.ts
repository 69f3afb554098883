import type { Clock } from '@palimpsest/core';

/** Waits that a ring or the end cuts short; a ring between two waits is not lost. */
export class Listener {
  readonly #clock: Clock;
  readonly #end = new AbortController();
  #bell = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get ended(): boolean {
    return this.#end.signal.aborted;
  }

  ring(): void {
    // Each abort makes an error with its stack, and rings come by the thousand while pages rest.
    if (!this.#bell.signal.aborted) this.#bell.abort();
  }

  end(): void {
    this.#end.abort();
    this.ring();
  }

  /** From now on a ring means that there may be more. */
  hush(): void {
    if (!this.ended && this.#bell.signal.aborted) this.#bell = new AbortController();
  }

  rest(ms: number): Promise<void> {
    return ms > 0 ? this.#clock.sleep(ms, this.#end.signal) : Promise.resolve();
  }

  wait(ms: number): Promise<void> {
    return this.#clock.sleep(ms, this.#bell.signal);
  }
}

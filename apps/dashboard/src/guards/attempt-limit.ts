import type { Clock } from '@palimpsest/core';

const windowMs = 15 * 60_000;
/** Enough for a person who forgot which password it was, far too few for guessing. */
const perAddress = 10;
const overall = 100;

/** Counts wrong passwords, by address and in all; bounded, because addresses are cheap. */
export class AttemptLimit {
  readonly #clock: Clock;
  readonly #wrong = new Map<string, number>();
  #total = 0;
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.now().getTime();
  }

  /** Seconds until the next try is allowed, 0 = now. */
  waitSeconds(address: string): number {
    const endsInMs = this.#since + windowMs - this.#clock.now().getTime();
    if (endsInMs <= 0) this.#restart();
    const allowed = this.#total < overall && (this.#wrong.get(address) ?? 0) < perAddress;
    return allowed ? 0 : Math.max(1, Math.ceil(endsInMs / 1000));
  }

  wrong(address: string): void {
    this.#total++;
    this.#wrong.set(address, (this.#wrong.get(address) ?? 0) + 1);
  }

  right(address: string): void {
    this.#wrong.delete(address);
  }

  #restart(): void {
    this.#wrong.clear();
    this.#total = 0;
    this.#since = this.#clock.now().getTime();
  }
}

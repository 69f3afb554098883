/** A clock that only the test moves; whoever sleeps on it sleeps until the test says so. */
import { vi } from 'vitest';
import type { Clock } from '@palimpsest/core';

interface Sleeper {
  ms: number;
  wake(): void;
}

export class HandClock implements Clock {
  #nowMs: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sleeper = { ms, wake: resolve };
    this.#sleepers.add(sleeper);
    if (signal?.aborted) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
    return promise.finally(() => this.#sleepers.delete(sleeper));
  }

  /** Wait until somebody sleeps for exactly this long, then let that time pass for them. */
  async passSleep(ms: number): Promise<void> {
    const sleeper = await vi.waitFor(
      () => {
        const found = [...this.#sleepers].find((candidate) => candidate.ms === ms);
        if (!found)
          throw new Error(
            `nobody sleeps for ${ms} ms; sleeping: ${[...this.#sleepers].map((s) => s.ms).join(', ')}`,
          );
        return found;
      },
      { interval: 2, timeout: 5000 },
    );
    this.#nowMs += ms;
    sleeper.wake();
  }

  /** Lengths of all sleeps under way. */
  sleeping(): number[] {
    return [...this.#sleepers].map((sleeper) => sleeper.ms);
  }
}

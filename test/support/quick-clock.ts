/** A clock that runs many times as fast as the wall's, so that a throttle of a second is waited out in a blink. */
import type { Clock } from '@palimpsest/core';

export function quickClock(speed: number): Clock {
  const startMs = Date.now();
  const startedAt = performance.now();
  return {
    now: () => new Date(startMs + (performance.now() - startedAt) * speed),
    sleep(ms, signal) {
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms / speed);
        const wake = (): void => {
          clearTimeout(timer);
          resolve();
        };
        if (signal?.aborted) wake();
        else signal?.addEventListener('abort', wake, { once: true });
      });
    },
  };
}

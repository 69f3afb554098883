import { GatewayError, type Clock } from '@palimpsest/core';

export interface Waiting {
  /** What is waited for, with its address: `Redis at 127.0.0.1:6379`. */
  what: string;
  forMs: number;
  clock: Clock;
  /** Says once that and why something is waited for. */
  say(line: string): void;
  signal: AbortSignal;
}

const lookEveryMs = 500;

/**
 * Run `work` until it succeeds: a database or Redis that starts at the same time as we do is waited for.
 * throws the reason of `signal`; what `work` throws, at once when it is not retryable, else when the time is up
 */
export async function waitWhileAway<Result>(work: () => Promise<Result>, waiting: Waiting): Promise<Result> {
  const { what, forMs, clock, say, signal } = waiting;
  const seconds = Math.round(forMs / 1_000);
  let waitedMs = 0;
  for (;;) {
    const startedAt = performance.now();
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || !thrown.retryable) throw thrown;
      if (waitedMs === 0) say(`Waiting up to ${seconds} s for ${what}: ${thrown.message}.`);
      waitedMs += Math.max(0, performance.now() - startedAt) + lookEveryMs;
      if (waitedMs > forMs) throw givenUp(thrown, `${what} did not answer within ${seconds} s`);
    }
    await clock.sleep(lookEveryMs, signal);
    if (signal.aborted) throw signal.reason;
  }
}

function givenUp(last: GatewayError, words: string): GatewayError {
  return new GatewayError(last.code, `${words}: ${last.message}. Then start again.`, { cause: last });
}

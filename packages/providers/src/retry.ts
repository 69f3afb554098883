import type { Clock, ModelEvent, ModelFailure } from '@palimpsest/core';

import { failure } from './errors/classify.ts';

/** Tries of one request in all; with the waits below about 16 s of trying. */
const maxAttempts = 6;
/** As the vendors' SDKs wait: half a second, doubled up to 8 s, up to a quarter less by chance. */
const firstWaitMs = 500;
const longestWaitMs = 8_000;
const jitter = 0.25;
/** A server that asks for more than this is not waited for: the person is told instead. */
const longestAskedWaitMs = 60_000;

export interface RetryHelp {
  clock: Clock;
  /** 0 <= random() < 1 */
  random: () => number;
  signal: AbortSignal;
}

/**
 * Repeat a request that failed before anything of it was seen. Waits are visible as `retrying` events; the last event
 * is `done` or `failed`. An attempt is a stream that ends in one of the two.
 */
export async function* withRetries(
  attempt: () => AsyncIterable<ModelEvent>,
  help: RetryHelp,
): AsyncGenerator<ModelEvent> {
  for (let count = 1; ; count++) {
    let streamed = false;
    let failed: ModelFailure | null = null;
    for await (const event of attempt()) {
      if (event.type === 'failed') {
        failed = event.failure;
        break;
      }
      streamed ||= event.type !== 'retrying';
      yield event;
      if (event.type === 'done') return;
    }
    failed ??= failure('stream_cut', 'the model');
    const waitMs = nextWaitMs(failed, count, help.random);
    if (streamed || waitMs === null) return yield { type: 'failed', failure: failed };
    yield { type: 'retrying', attempt: count, waitMs, failure: failed };
    await help.clock.sleep(waitMs, help.signal);
    if (help.signal.aborted) return yield { type: 'failed', failure: failure('aborted', 'the request') };
  }
}

/** Wait before the next try, ms; null: no further try. `count` tries were made. */
export function nextWaitMs(failed: ModelFailure, count: number, random: () => number): number | null {
  if (!failed.retryable || count >= maxAttempts) return null;
  if (failed.retryAfterMs !== undefined)
    return failed.retryAfterMs <= longestAskedWaitMs ? failed.retryAfterMs : null;
  const waitMs = Math.min(firstWaitMs * 2 ** (count - 1), longestWaitMs);
  return Math.round(waitMs * (1 - random() * jitter));
}

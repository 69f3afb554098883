/** Discord's REST limits: a bucket per route and major id, 50 requests per second over all, and the ban behind them. */
import { createHash } from 'node:crypto';
import type { FakeDiscordClock } from './options.ts';

/** How many calls a bucket allows in a window. */
export interface BucketSize {
  limit: number;
  windowMs: number;
}

/** Who asks: the shared name of the route's bucket and the major id that splits it. */
export interface BucketAsk {
  name: string;
  majorId: string;
  size: BucketSize;
  countsGlobally: boolean;
}

export type LimitVerdict =
  | { kind: 'free'; headers: Record<string, string> }
  | { kind: 'limited'; headers: Record<string, string>; retryAfterSeconds: number; global: boolean };

interface Window {
  endsAtMs: number;
  used: number;
}

const globalSize: BucketSize = { limit: 50, windowMs: 1000 };

export class RateLimits {
  readonly #clock: FakeDiscordClock;
  readonly #lifted: boolean;
  readonly #windows = new Map<string, Window>();

  constructor(clock: FakeDiscordClock, lifted: boolean) {
    this.#clock = clock;
    this.#lifted = lifted;
  }

  /** Count one call; a refused call does not use up the bucket. */
  take(ask: BucketAsk): LimitVerdict {
    const bucket = createHash('md5').update(ask.name).digest('hex');
    if (this.#lifted)
      return {
        kind: 'free',
        headers: this.#headers(bucket, 10_000, { used: 1, endsAtMs: this.#clock.now() + 1000 }),
      };
    const global = this.#window('global', globalSize);
    if (ask.countsGlobally && global.used >= globalSize.limit) return this.#refuseGlobally(global);
    const own = this.#window(`${ask.name} ${ask.majorId}`, ask.size);
    if (own.used >= ask.size.limit) return this.#refuse(bucket, ask.size.limit, own);
    own.used += 1;
    if (ask.countsGlobally) global.used += 1;
    return { kind: 'free', headers: this.#headers(bucket, ask.size.limit, own) };
  }

  #window(key: string, size: BucketSize): Window {
    const now = this.#clock.now();
    const known = this.#windows.get(key);
    if (known !== undefined && known.endsAtMs > now) return known;
    const fresh = { endsAtMs: now + size.windowMs, used: 0 };
    this.#windows.set(key, fresh);
    return fresh;
  }

  #headers(bucket: string, limit: number, window: Window): Record<string, string> {
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(limit - window.used),
      'x-ratelimit-reset': (window.endsAtMs / 1000).toFixed(3),
      'x-ratelimit-reset-after': ((window.endsAtMs - this.#clock.now()) / 1000).toFixed(3),
      'x-ratelimit-bucket': bucket,
    };
  }

  #refuse(bucket: string, limit: number, window: Window): LimitVerdict {
    const retryAfterSeconds = (window.endsAtMs - this.#clock.now()) / 1000;
    const headers = { ...this.#headers(bucket, limit, window), ...refusalHeaders(retryAfterSeconds, 'user') };
    return { kind: 'limited', headers, retryAfterSeconds, global: false };
  }

  #refuseGlobally(window: Window): LimitVerdict {
    const retryAfterSeconds = (window.endsAtMs - this.#clock.now()) / 1000;
    const headers = { ...refusalHeaders(retryAfterSeconds, 'global'), 'x-ratelimit-global': 'true' };
    return { kind: 'limited', headers, retryAfterSeconds, global: true };
  }
}

/** Headers of every 429; Retry-After is in whole seconds, unlike `retry_after` of the body. */
export function refusalHeaders(
  retryAfterSeconds: number,
  scope: 'user' | 'global' | 'shared',
): Record<string, string> {
  return { 'retry-after': String(Math.ceil(retryAfterSeconds)), 'x-ratelimit-scope': scope };
}

/** Body of every 429. */
export function refusalBody(retryAfterSeconds: number, global: boolean): Record<string, unknown> {
  return { message: 'You are being rate limited.', retry_after: retryAfterSeconds, global };
}

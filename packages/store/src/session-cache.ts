import { LRUCache } from 'lru-cache';

/** A session that nobody wrote to for so long is forgotten; its texts do not stay in memory. */
const idleMs = 600_000;

/** What a read gave, and how often the session's rows had been rewritten by then (`sessions.rewrites`). */
export interface AsOf {
  rewrites: number;
}

/**
 * What was read of a session, for the next read of it. The database is asked each time whether it still holds: the statement
 * compares `rewrites` and gives either what has come since or everything. The least lately used goes first.
 *
 * most  the sum of all weights at most; a value heavier than a quarter of it is not kept
 */
export class SessionCache<Value extends AsOf> {
  readonly #known: LRUCache<string, Value>;

  constructor(most: number, weightOf: (value: Value) => number) {
    this.#known = new LRUCache({
      maxSize: most,
      maxEntrySize: Math.ceil(most / 4),
      sizeCalculation: (value) => Math.max(1, Math.ceil(weightOf(value))),
      ttl: idleMs,
      updateAgeOnGet: true,
      ttlAutopurge: true,
    });
  }

  find(sessionId: string): Value | undefined {
    return this.#known.get(sessionId);
  }

  keep(sessionId: string, value: Value): void {
    this.#known.set(sessionId, value);
  }
}

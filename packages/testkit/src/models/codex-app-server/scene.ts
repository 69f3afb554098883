/** What one turn or compaction of the fake app-server plays; scenes are used up in order, then turns answer "ok". */
export interface Scene {
  /** Messages of the answer; `$input` stands for what was asked. */
  readonly texts?: readonly string[];
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** A compaction inside the turn, before it answers. */
  readonly compactsFirst?: boolean;
  /** A request of the server's own that must be answered before the turn goes on. */
  readonly asks?: string;
  /** An error that the server gets over by itself, in its words. */
  readonly retries?: string;
  /** The error that ends the turn or compaction. */
  readonly fails?: unknown;
  /** Nothing more is said until the turn is interrupted. */
  readonly hangs?: boolean;
  /** The program ends in the middle with this code. */
  readonly exits?: number;
  /** Unknown notifications, lines that are no JSON, and words on stderr in between. */
  readonly noise?: boolean;
  /** The answer to the request comes after the first notifications. */
  readonly answersLate?: boolean;
  /** Lines are written in pieces of so many bytes. */
  readonly splitBytes?: number;
  /** Message text comes whole with its item, without deltas. */
  readonly withoutDeltas?: boolean;
  /** The older word for the end of a compaction, instead of its item. */
  readonly legacy?: boolean;
  /** Estimate of what is left after a compaction; default 6,862. */
  readonly tokensAfter?: number;
}

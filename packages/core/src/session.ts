import type { ChatPlace, Platform } from './chat.ts';
import type { BusyMode } from './config/display-schema.ts';

/** Proof of holding a session; every write compares `epoch` with the session row. */
export interface Lease {
  sessionId: string;
  epoch: number;
  owner: string;
}

/** One session row as a claim reads it. Token counts are 0 when unknown; `lastPromptTokens` -1 = just compacted. */
export interface Session {
  id: string;
  title?: string;
  engine: string;
  model?: string;
  /** Chosen by /engine and /model for this session; undefined follows the configuration. */
  wantedEngine?: string;
  wantedModel?: string;
  /** Chosen by /queue for this session; undefined follows the configuration. */
  busyMode?: BusyMode;
  /** Byte-stable; null until the first turn, and again after a switch of model or engine. */
  systemPrompt: string | null;
  /** Set by the first compaction; shown as the last block of the system prompt. */
  systemNote: string | null;
  chatKind: ChatPlace['kind'];
  platform: Platform;
  parentSessionId?: string;
  revision: number;
  epoch: number;
  lastPromptTokens: number;
  /** Of that prompt, what was read from the cache. */
  lastCacheReadTokens: number;
  lastOutputTokens: number;
  /** Highest seq that the last real prompt count covered; rows above it are estimated. */
  lastPricedSeq: number;
  /** Learned ratio real / estimated of this session's prompts, clamped to 0.5 … 2. */
  estimateRatio: number;
  compactionCount: number;
  /** No automatic summary before this time (database clock). */
  cooldownUntil: Date | null;
  cooldownReason: string | null;
  failureStreak: number;
  /** Local summaries in a row that stood in for a failed model; two stop automatic compaction as ineffective ones do. */
  fallbackStreak: number;
  /** Compactions in a row whose next real prompt was still at the trigger. */
  ineffectiveStreak: number;
  /** From then on one automatic compaction may try again, although two in a row did not help. */
  probeAt: Date | null;
  /** There was nothing to take out; automatic compaction does not look again before. No failure. */
  structuralUntil: Date | null;
  /** No message is held for a summary before this time: a hold ran out or hygiene failed. Holds nobody else back. */
  holdRestUntil: Date | null;
  holdRestReason: string | null;
  holdFailureStreak: number;
  /** Summary model that failed the last time, where the main model wrote the summary instead. */
  auxiliaryFailed: string | null;
  /** What the person was told of the summary's present trouble; null again when a summary comes as it should. */
  troubleTold: 'took_over' | 'failed' | null;
  /** A compaction was taken back when this was the last seq; automatic ones rest until enough came behind it. */
  restAfterSeq?: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Columns a lease holder may change. */
export type SessionPatch = Partial<
  Pick<
    Session,
    | 'title'
    | 'engine'
    | 'model'
    | 'wantedEngine'
    | 'wantedModel'
    | 'busyMode'
    | 'systemPrompt'
    | 'systemNote'
    | 'lastPromptTokens'
    | 'lastCacheReadTokens'
    | 'lastOutputTokens'
    | 'lastPricedSeq'
    | 'estimateRatio'
    | 'cooldownReason'
    | 'failureStreak'
    | 'ineffectiveStreak'
    | 'fallbackStreak'
    | 'troubleTold'
  >
> & {
  /** Milliseconds from the database's now; null clears it. */
  cooldownMs?: number | null;
};

import type { Platform } from '../chat.ts';
import type { GatewayEvent } from '../events.ts';
import type { Layer, Outcome, Reason, Trigger } from '../ledger.ts';
import type { MailboxContent } from '../turn.ts';
import type { DeadMessageKey, OperatorAction } from './action-store.ts';

/** What arrived, was answered and failed in one minute. */
export interface ActivityMinute {
  at: Date;
  messages: number;
  turns: number;
  /** Turns that failed or were given up. */
  failures: number;
}

export interface Activity {
  /** The last half hour, oldest first, the running minute last. */
  minutes: readonly ActivityMinute[];
  /** Of the last 24 hours. */
  day: { turns: number; failedTurns: number; failedReplies: number; failedCompactions: number };
}

/** Attempts of one kind; tokens are sums over those that changed something. */
export interface AttemptGroup {
  layer: Layer;
  trigger: Trigger;
  outcome: Outcome | null;
  reason: Reason;
  attempts: number;
  tokensBefore: number;
  tokensAfter: number;
  /** Null: none has ended. */
  medianMs: number | null;
  longestMs: number | null;
}

/** Compactions of one layer and pair of models that stand: what they took, and what later model calls did not read. */
export interface CompactionSpending {
  layer: Layer;
  mainModel: string;
  summaryModel: string | null;
  compactions: number;
  summaryInputTokens: number;
  summaryOutputTokens: number;
  /** Left in the prompt, written to the cache anew. */
  keptTokens: number;
  reclaimedTokens: number;
  /** Model calls since, each until the session's next compaction, times the tokens it reclaimed. */
  savedTokens: number;
  /** Those calls, and the turns they were made in. */
  laterCalls: number;
  laterTurns: number;
}

/** One step of the board's time line. Tokens of models are those of turns that began in it. */
export interface BoardStep {
  at: Date;
  applied: number;
  failed: number;
  declined: number;
  reclaimedTokens: number;
  promptTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
}

/** One compaction as a point: from where to where. */
export interface AppliedPoint {
  id: number;
  sessionId: string;
  at: Date;
  layer: Layer;
  tokensBefore: number;
  tokensAfter: number;
}

export interface CompactionBoard {
  since: Date;
  groups: readonly AttemptGroup[];
  spending: readonly CompactionSpending[];
  steps: readonly BoardStep[];
  /** The newest 200. */
  applied: readonly AppliedPoint[];
}

/** A session that rests from automatic compaction. */
export interface RestingSession {
  sessionId: string;
  title: string | null;
  chatTitle: string | null;
  platform: Platform;
  /** open: too many compactions in a row that did not help. */
  state: 'open' | 'cooldown' | 'hold' | 'spend';
  reason: string | null;
  until: Date | null;
}

export interface FullSession {
  sessionId: string;
  title: string | null;
  chatTitle: string | null;
  platform: Platform;
  promptTokens: number;
  /** Of its newest attempt. */
  triggerTokens: number;
}

export interface Brakes {
  /** At most 50; `restingSessions` counts all. */
  resting: readonly RestingSession[];
  restingSessions: number;
  /** Open sessions whose last prompt was at or over the trigger; at most 50, fullest first. */
  full: readonly FullSession[];
  fullSessions: number;
  /** Summary models of the lossless engine that failed lately. */
  models: readonly { provider: string; model: string; failures: number; openUntil: Date | null }[];
}

export interface StoredEvent {
  id: number;
  sessionId: string;
  at: Date;
  event: GatewayEvent;
}

export type TroubledState = 'unknown' | 'dead' | 'failed';

/** A reply that did not reach its chat for certain. `failed`: the platform refused it for good. */
export interface TroubledReply {
  id: number;
  sessionId: string;
  account: string;
  platform: Platform;
  chatId: string;
  chatTitle: string | null;
  kind: 'final' | 'notice';
  state: TroubledState;
  attempts: number;
  problem: string | null;
  createdAt: Date;
  finishedAt: Date | null;
  characters: number;
  parts: number;
  partsSent: number;
}

export interface TroubledPart {
  index: number;
  state: 'pending' | 'sending' | 'sent' | 'unknown';
  attempts: number;
  /** A former send may have arrived. */
  mayBeOut: boolean;
  platformMessageId: string | null;
  sentAt: Date | null;
  text: string;
}

/** A message, command or operator's request that was tried too often and given up. */
export interface DeadMessage extends DeadMessageKey {
  kind: MailboxContent['kind'];
  platform: Platform;
  chatId: string;
  chatTitle: string | null;
  attempts: number;
  acceptedAt: Date;
  finishedAt: Date | null;
  characters: number;
}

/** Rows that lie archived under one compaction. */
export interface ReplacedRange {
  compactionId: number;
  rows: number;
  firstSeq: number;
  lastSeq: number;
  firstAt: Date;
  lastAt: Date;
}

/** Rows that stood side by side, or with others between them. */
export interface KeptRange {
  rows: number;
  firstSeq: number;
  lastSeq: number;
}

/**
 * What an attempt left in the prompt word for word. `places` null: where these rows stood is not known any more, because
 * some were taken back or erased since, or because it never was. A place null: nothing was kept there.
 */
export interface KeptRows {
  rows: number;
  places: { head: KeptRange | null; between: KeptRange | null; tail: KeptRange | null } | null;
}

/** The summary that a compaction wrote, and the one that it took the place of. */
export interface SummaryPair {
  former: string;
  text: string;
}

/** Who works on a session now, null: nobody; and what went wrong in it last, without a word of what was said. */
export interface SessionHold {
  epoch: number;
  holder: string | null;
  heldUntil: Date | null;
  lastFailure: { what: string; at: Date } | null;
}

/** What the boards of operators show beside single sessions. Reads only. */
export interface BoardStore {
  activity(): Promise<Activity>;
  /** steps  how many the time line has */
  compactions(range: { hours: number; steps: number }): Promise<CompactionBoard>;
  /** triggerTokens  taken for sessions without an attempt so far */
  brakes(triggerTokens: number): Promise<Brakes>;
  /** Newest first before `beforeId`, or oldest first after `afterId`. */
  events(wish: {
    limit: number;
    beforeId?: number;
    afterId?: number;
    type?: GatewayEvent['type'];
    sessionId?: string;
  }): Promise<readonly StoredEvent[]>;
  /** What operators did, newest first. */
  actions(wish: { limit: number; beforeId?: number; sessionId?: string }): Promise<readonly OperatorAction[]>;
  /** Newest first. */
  deliveries(wish: {
    limit: number;
    beforeId?: number;
    state?: TroubledState;
  }): Promise<readonly TroubledReply[]>;
  /** With its text; null: not among them any more. */
  delivery(
    id: number,
  ): Promise<{ reply: TroubledReply; text: string; parts: readonly TroubledPart[] } | null>;
  /** Given up, newest first. */
  deadMessages(limit: number): Promise<readonly DeadMessage[]>;
  /** What was said in it; null: not among them any more. */
  deadMessage(which: DeadMessageKey): Promise<{ text: string } | null>;
  /** Of those compactions of a session under which rows lie, in no order. */
  replacedRanges(sessionId: string, compactionIds: readonly number[]): Promise<readonly ReplacedRange[]>;
  /** How many nodes and blocks each of these compactions wrote, by its id; one that wrote none is left out. */
  writtenCounts(sessionId: string, compactionIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Null: no such attempt, or it put no row aside. */
  keptRows(sessionId: string, compactionId: number): Promise<KeptRows | null>;
  /** Null: it wrote no summary row, or none stood before it. */
  summaryPair(sessionId: string, compactionId: number): Promise<SummaryPair | null>;
  /** Null: there is no such session. */
  sessionHold(sessionId: string): Promise<SessionHold | null>;
  /** Accounts that ever had a chat, as `accountKey` writes them. */
  accounts(): Promise<readonly string[]>;
}

/** The lossless engine's data: nodes of the summary graph, the items of a context, and what is stored with a plan or round. */
import type { Reason } from './ledger.ts';

export type LcmKind = 'leaf' | 'condensed';

/** How a summary's text came about; fallback and capped ones are what a doctor redoes. */
export type LcmEscalation = 'normal' | 'aggressive' | 'fallback' | 'capped';

/** A node of the graph without its text. Tokens are estimates of the text, its wrapping in the prompt included. */
export interface LcmSummaryHead {
  /** `sum_` + hex. */
  id: string;
  kind: LcmKind;
  /** 0 for a leaf, else one more than its sources. */
  depth: number;
  tokens: number;
  earliestAt: Date;
  latestAt: Date;
  /** Leaf 0, condensed the sum of (source's + 1). */
  descendantCount: number;
  /** Leaf 0, condensed the sum of (source's tokens + source's descendantTokens). */
  descendantTokens: number;
  /** Tokens of the messages under it. */
  sourceMessageTokens: number;
  /** Ids of files that its source text names, first come first, each once. */
  fileIds: readonly string[];
  /** Who wrote it; null for a text made without a model. */
  provider: string | null;
  model: string | null;
  escalation: LcmEscalation;
}

export interface LcmSummary extends LcmSummaryHead {
  content: string;
  /** Nodes a condensed one was made from, oldest first; empty for a leaf. */
  sourceIds: readonly string[];
  /** The node that was written in its place by a doctor. */
  supersededBy: string | null;
}

/**
 * A summary in the context. The context of a session is its items and its live rows, merged by `ordinal` and `seq`: a live
 * row is its own item. `ordinal` is the seq of the first message that the summary covers.
 */
export interface LcmItem extends LcmSummaryHead {
  ordinal: number;
}

/** A node on its way into the store; `id` is made of its content and sources, so that a repeat writes nothing. */
export interface LcmNewSummary extends LcmSummaryHead {
  content: string;
  /** Leaf: rows it covers, oldest first, at least one. A row that stands for another one is stored as the edge to that one. */
  messageIds: readonly number[];
  /** Condensed: nodes of one depth, oldest first, at least one; stored before or earlier in the same change. */
  sourceIds: readonly string[];
}

/** What a prompt cache did lately, for one model of one session. */
export interface LcmTelemetry {
  provider: string;
  model: string;
  cacheState: 'hot' | 'cold' | 'unknown';
  lastReadAt: Date | null;
  lastWriteAt: Date | null;
  lastBreakAt: Date | null;
  coldObservations: number;
  turnsSinceLeaf: number;
  tokensSinceLeaf: number;
}

/** Compaction that is owed to a session; one coalesced row a session. */
export interface LcmDebt {
  pending: boolean;
  running: boolean;
  reason: string;
  requestedAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** When it may be worked on; set from the database's clock. */
  dueAt: Date;
  lastFailure: Reason | null;
  budgetTokens: number;
  currentTokens: number;
  projectedTokens: number;
  rawTokensOutsideTail: number;
  thresholdTokens: number;
  /** Which setting gave the threshold. */
  thresholdSource: string;
  retryAttempts: number;
  nextAttemptAfter: Date | null;
  resolutionReason: string | null;
  /** Rises with every change; whoever changes the row names the one that was read. */
  revision: number;
}

/** What a new or renewed debt says; requests that come while one is pending are one debt. */
export interface LcmDebtRequest extends Pick<
  LcmDebt,
  | 'reason'
  | 'budgetTokens'
  | 'currentTokens'
  | 'projectedTokens'
  | 'rawTokensOutsideTail'
  | 'thresholdTokens'
  | 'thresholdSource'
> {
  /** From the database's now; 0 = at once. An earlier time of a pending debt stands. */
  dueInMs: number;
}

/** How a running debt ended: paid · exhausted (nothing eligible is left) · pending again, after a rest. */
export type LcmDebtEnd =
  | { kind: 'closed'; resolutionReason: string; currentTokens: number }
  /** `isFailure` counts an attempt; a partial success does not. */
  | {
      kind: 'pending';
      retryInMs: number | null;
      isFailure: boolean;
      lastFailure: Reason | null;
      currentTokens: number;
    };

/** Failures in a row of one summary model, counted by all workers together. */
export interface LcmBreaker {
  provider: string;
  model: string;
  failures: number;
  /** Open until then; null = closed. */
  openUntil: Date | null;
}

export interface LcmBreakerPolicy {
  threshold: number;
  cooldownMs: number;
}

/** Summary calls of a session in the present window. */
export interface LcmSpend {
  windowStartedAt: Date;
  calls: number;
  /** No call before this time; null = free. */
  backoffUntil: Date | null;
}

export interface LcmSpendPolicy {
  maxCalls: number;
  windowMs: number;
  backoffMs: number;
}

/** Everything an engine needs to build a context of a session, but the texts. */
export interface LcmState {
  /** Live items in ordinal order. */
  items: readonly LcmItem[];
  /** Seq from which on the context must cover every message; 0 = all of them. A new chapter raises it. */
  boundarySeq: number;
  telemetry: readonly LcmTelemetry[];
  debt: LcmDebt | null;
  /** Every summary model that failed lately. */
  breakers: readonly LcmBreaker[];
  spend: LcmSpend | null;
  /** The database's clock when it was read; the times above are to be compared with it. */
  now: Date;
}

/**
 * What the lossless engine stores with a plan, a round or a turn's end: `state: { engine: 'lcm', json: LcmChange }`.
 * Rows that new leaves cover are archived by the plan itself. Everything in one transaction or nothing.
 */
export interface LcmChange {
  /** Sources before the nodes made from them. */
  summaries?: readonly LcmNewSummary[];
  /** Items that leave the context; the plan is outdated when one of them is not in it any more. */
  removeItems?: readonly string[];
  /** Summaries that enter the context; each stored before or in this change. Only with a compaction. */
  addItems?: readonly { summaryId: string; ordinal: number }[];
  /**
   * Messages below it need not be covered any more: a new chapter, or where the context began when the engine was entered.
   * Only with a compaction.
   */
  boundarySeq?: number;
  /** The engine is left: every row under an item that stood is from now on archived by this compaction. */
  leave?: boolean;
  /** A doctor's new revisions: the old node keeps its row and names the new one. */
  supersede?: readonly { summaryId: string; by: string }[];
  /** Replaces the row of its provider and model. */
  telemetry?: LcmTelemetry;
  debt?: LcmDebtRequest;
  /** How the running debt ends with this change, if it still runs under the revision of its start. */
  debtEnd?: { revision: number; end: LcmDebtEnd };
  files?: readonly LcmNewFile[];
}

/** A large content beside the transcript; its bytes are the payload of the same sha256. */
export interface LcmNewFile {
  /** sha256 of the content in hex: the payload's id. The file's id is `file_` + its first 16 digits. */
  payloadId: string;
  name: string;
  mime: string;
  lines: number;
  tokens: number;
  exploration: string;
  /** Stored as a payload when it is given; left out where a row of the same transaction brings it. */
  text?: string;
}

export interface LcmFile {
  id: string;
  sessionId: string;
  payloadId: string;
  name: string;
  mime: string;
  bytes: number;
  /** Null for a payload that nobody described. */
  lines: number | null;
  tokens: number | null;
  exploration: string | null;
  createdAt: Date;
}

/** The id under which tools open a payload. */
export function lcmFileId(payloadId: string): string {
  return `file_${payloadId.slice(0, 16)}`;
}

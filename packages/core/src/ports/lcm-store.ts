import type {
  LcmBreaker,
  LcmBreakerPolicy,
  LcmChange,
  LcmDebt,
  LcmDebtEnd,
  LcmDebtRequest,
  LcmFile,
  LcmSpend,
  LcmSpendPolicy,
  LcmState,
  LcmSummary,
  LcmSummaryHead,
} from '../lcm.ts';
import type {
  LcmDescribedSummary,
  LcmFileGrep,
  LcmFileSlice,
  LcmFilesFound,
  LcmFileWindow,
  LcmGrep,
  LcmGrepFound,
  LcmManifestEntry,
  LcmMessage,
  LcmRefusal,
  LcmScope,
} from '../lcm-search.ts';
import type { Lease } from '../session.ts';

/** An original row under a summary row of another engine. */
export interface LcmCoveredRow {
  id: number;
  seq: number;
  tokens: number;
  sentAt: Date;
}

/** What is wrong with a session's graph; ids only, never text. */
export interface LcmProblem {
  check:
    | 'message_not_covered'
    | 'message_covered_twice'
    | 'item_out_of_order'
    | 'leaf_shape'
    | 'condensed_shape'
    | 'edge_order'
    | 'time_range'
    | 'counts'
    | 'file_ids'
    | 'orphan_debt'
    | 'fallback_summary'
    | 'capped_summary'
    | 'newest_not_handled';
  /** A broken invariant, or a text that could be better. */
  severity: 'broken' | 'weak';
  summaryId: string | null;
  messageId: number | null;
}

export interface LcmStatus {
  liveMessages: number;
  liveMessageTokens: number;
  coveredMessages: number;
  items: number;
  itemTokens: number;
  /** Nodes of every depth, in the context or not; index = depth. */
  summariesByDepth: readonly number[];
  summaryTokens: number;
  maxDepth: number;
  files: number;
  fileBytes: number;
  boundarySeq: number;
  debt: LcmDebt | null;
  /** Compactions of the session that stand, newest first, at most 10. */
  recent: readonly { compactionId: number; at: Date; trigger: string; outcome: string; nodes: number }[];
}

export interface LcmExport {
  sessionId: string;
  summaries: readonly (LcmSummary & { messageIds: readonly number[]; createdAt: Date })[];
  items: readonly { summaryId: string; ordinal: number }[];
  boundarySeq: number;
}

/** A node as it is drawn; no text. */
export interface LcmDrawnNode {
  id: string;
  depth: number;
  tokens: number;
  escalation: LcmSummaryHead['escalation'];
  isInContext: boolean;
  /** Newest revision of each node it was made from, oldest first; empty for a leaf. */
  sourceIds: readonly string[];
  /** Messages that a leaf covers itself; 0 for a condensed node. */
  messages: number;
  /** Of the rows under it, as far as they are drawn. */
  firstSeq: number;
  lastSeq: number;
}

export interface LcmDrawing {
  /** Newest revisions by depth and place: the newest leaves that were asked for, and what stands on them. */
  nodes: readonly LcmDrawnNode[];
  /** All leaves of the session. */
  leaves: number;
  /** Rows of the prompt that stand for themselves; null: there is none. */
  live: { rows: number; firstSeq: number; lastSeq: number } | null;
}

/**
 * The lossless engine's tables. What belongs to a plan or a round is written with it (LcmChange); what is here is read, or
 * is shared by all workers and stored in a small transaction of its own. Nothing here deletes.
 */
export interface LcmStore {
  /** Items, state, telemetry, debt, breakers and spend of a session, in one statement. */
  load(sessionId: string): Promise<LcmState>;
  /** Nodes with their texts and source ids, any order; one statement. Unknown ids are left out. */
  summaries(sessionId: string, ids: readonly string[]): Promise<readonly LcmSummary[]>;
  /** Nodes by depth, deepest and newest first, without text; for a new chapter and a doctor. */
  heads(sessionId: string): Promise<readonly LcmSummaryHead[]>;
  /**
   * For entering the engine: every original row under each of these live summary rows, in seq order, by archived_by and
   * replaces, through earlier summaries. A row under which nothing is found (a copy from another session) stands for itself.
   */
  rowsUnder(
    sessionId: string,
    rowIds: readonly number[],
  ): Promise<ReadonlyMap<number, readonly LcmCoveredRow[]>>;
  /** A change that belongs to no compaction and no round, under the lease. Throws LeaseLost, PlanOutdated, input_invalid. */
  write(lease: Lease, change: LcmChange): Promise<void>;

  /** Raise or renew the debt of a session; returns its revision. */
  requestDebt(sessionId: string, request: LcmDebtRequest): Promise<number>;
  /**
   * Mark a pending debt as running; the new revision, or null when it is not pending or was changed since. Only one job at
   * a time plans for a session: a debt that runs already was left by a dead one.
   */
  startDebt(sessionId: string, revision: number): Promise<number | null>;
  /** End a running debt with the revision of its start; false when it is stale. */
  finishDebt(sessionId: string, revision: number, end: LcmDebtEnd): Promise<boolean>;
  /** A pending debt is not due before this much time has passed. */
  restDebt(sessionId: string, restMs: number): Promise<void>;
  /** Sessions under this engine with a due debt and a free lease, longest due first; one left running is due again. */
  dueDebts(limit: number): Promise<readonly string[]>;

  /** Count a terminal failure of a summary model; opens at the threshold. */
  breakerFailed(provider: string, model: string, policy: LcmBreakerPolicy): Promise<LcmBreaker>;
  /** A success closes it and forgets the failures. */
  breakerSucceeded(provider: string, model: string): Promise<void>;
  /** Count summary calls that are about to be made; false when the window is full or a backoff runs, then nothing is counted. */
  spend(
    sessionId: string,
    calls: number,
    policy: LcmSpendPolicy,
  ): Promise<{ allowed: boolean; spend: LcmSpend }>;
  /** A sweep made no progress while over its target: rest. */
  stopSpend(sessionId: string, policy: LcmSpendPolicy): Promise<void>;
  /** A person asked: the window begins anew. */
  clearSpend(sessionId: string): Promise<void>;

  /** Search messages and summaries in scope. Guards are checked before anything is searched. */
  grep(scope: LcmScope, grep: LcmGrep): Promise<LcmGrepFound | LcmRefusal>;
  grepFiles(scope: LcmScope, grep: LcmFileGrep): Promise<LcmFilesFound | LcmRefusal>;
  /** Null when unknown or out of scope: the same answer. */
  describe(scope: LcmScope, summaryId: string): Promise<LcmDescribedSummary | null>;
  /** Nodes that this one was made from (older ones), oldest first, newest revision of each; with text. Null out of scope. */
  sourcesOf(scope: LcmScope, summaryId: string): Promise<readonly LcmSummary[] | null>;
  /** Messages under each of these nodes of the session, each message once; unknown ids are left out. For operators. */
  messageCounts(sessionId: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Nodes under it by level, each once, down to `maxDepth` levels and at most 500; null out of scope. */
  manifest(scope: LcmScope, summaryId: string, maxDepth: number): Promise<readonly LcmManifestEntry[] | null>;
  /** Messages of a leaf in order, each cut to `maxCharacters`; null out of scope. */
  messagesOf(
    scope: LcmScope,
    summaryId: string,
    page: { afterSeq: number; limit: number; maxCharacters: number },
  ): Promise<readonly LcmMessage[] | null>;
  /** A message from `offset` characters on; null when unknown, withdrawn or out of scope. */
  message(
    scope: LcmScope,
    messageId: number,
    slice: { offset: number; maxCharacters: number },
  ): Promise<LcmMessage | null>;
  /** A file or payload by `file_…`; null out of scope. */
  file(scope: LcmScope, fileId: string): Promise<LcmFile | null>;
  readFile(scope: LcmScope, fileId: string, window: LcmFileWindow): Promise<LcmFileSlice | null>;

  status(sessionId: string): Promise<LcmStatus>;
  /** Every broken invariant and weak summary of the session, at most 1,000. */
  doctor(sessionId: string): Promise<readonly LcmProblem[]>;
  exportGraph(sessionId: string): Promise<LcmExport>;
  /** The graph over its newest leaves. */
  draw(sessionId: string, mostLeaves: number): Promise<LcmDrawing>;
  /** Nodes that a compaction put into the context, in order, with text. */
  writtenBy(sessionId: string, compactionId: number): Promise<readonly LcmSummary[]>;
}

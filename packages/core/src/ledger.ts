/** full: may call the summariser · local: the deterministic summary, no model · prune: old tool output only. */
export type CompressMode = 'full' | 'local' | 'prune';

export const layers = ['hygiene', 'agent', 'background', 'overflow', 'manual', 'model_tool'] as const;
export type Layer = (typeof layers)[number];

export const triggers = [
  'hygiene',
  'threshold',
  'prepared',
  'preflight',
  'idle',
  'emergency',
  'manual',
  'model_tool',
  'undo',
  'engine_switch',
] as const;
export type Trigger = (typeof triggers)[number];

export const outcomes = [
  'success',
  'deterministic',
  'fallback_trim',
  'ineffective',
  'noop',
  'failed',
  'aborted',
  'skipped',
] as const;
export type Outcome = (typeof outcomes)[number];

export const reasons = [
  'none',
  'below_threshold',
  'cooldown',
  'breaker_open',
  'too_often',
  'too_few_messages',
  'protected_only',
  'model_asked',
  'switched_off',
  'lease_lost',
  'hot_cache',
  'summary_timeout',
  'summary_rate_limited',
  'summary_auth',
  'summary_provider_4xx',
  'summary_provider_5xx',
  'summary_context_too_small',
  'summary_empty',
  'summary_too_long',
  'spend_limit',
  'validation_failed',
  'db_error',
  'user_cancelled',
  'turn_hold',
  'no_seq',
] as const;
export type Reason = (typeof reasons)[number];

/** Numbers of one compaction. Tokens are those of the assembled prompt, system text and tools included. */
export interface CompactionFigures {
  tokensBefore: number;
  tokensBeforeSource: 'api' | 'estimate';
  tokensAfter: number;
  rowsBefore: number;
  rowsAfter: number;
  rowsArchived: number;
  rowsProtected: number;
  /** Rows taken out of the prompt with no summary line about them; the goal is 0. */
  rowsDroppedWithoutSummary: number;
  toolResultsPruned: number;
  /** Pictures that left the prompt, with their rows or out of rows that stay; left out: none was counted. */
  imagesDropped?: number;
  summaryTokens: number;
  summaryCalls: number;
  summaryInputTokens: number;
  summaryOutputTokens: number;
  /** Of the input tokens; left out where no model was asked. */
  summaryCacheReadTokens?: number;
  summaryCacheWriteTokens?: number;
  /** US dollars of the summary calls, failed ones before them included; left out where the price is not known. */
  summaryDollars?: number;
  escalation: 'normal' | 'aggressive' | 'deterministic' | 'capped';
}

/** What only the lossless engine counts of an attempt. */
export interface SweepFigures {
  /** Summaries written: leaves over messages, condensed ones over summaries. */
  passes: number;
  leaves: number;
  condensed: number;
  /** Of the summaries written; a leaf has depth 0. */
  deepestDepth: number;
  /** What ended it before nothing was left to do: a bound, or why no model was asked any more. */
  stoppedBy: 'none' | 'pass_cap' | 'deadline' | 'aborted' | Reason;
  cacheState: 'hot' | 'cold' | 'unknown';
  /** Why as much was done as was. */
  decision:
    | 'full-sweep'
    | 'ahead-of-threshold'
    | 'recovery'
    | 'budget-trigger'
    | 'leaf-trigger'
    | 'cold-cache-catchup';
  /** How long the work had been owed; null: it was not. */
  debtAgeSeconds: number | null;
}

/** One row of the ledger as operators read it. */
export interface LedgerRow {
  id: number;
  sessionId: string;
  engine: string;
  /** Of the lease: when the attempt began, and when it changed something. */
  epochBefore: number;
  epochAfter: number | null;
  inPlace: boolean;
  /** The session that was left by a rotation. */
  oldSessionId?: string;
  /** The compaction's row that took this one back. */
  undoneBy?: number;
  layer: Layer;
  trigger: Trigger;
  outcome: Outcome | null;
  reason: Reason;
  /** What the engine was asked for; null where it was not asked. */
  strategy: CompressMode | null;
  windowTokens: number;
  windowSource: string;
  /** Share of the window as the config has it; `triggerTokens` is what came of it. */
  thresholdRaw: number;
  triggerTokens: number;
  mainModel: string;
  summaryModel: string | null;
  startedAt: Date;
  finishedAt: Date | null;
  durationMs: number | null;
  /** Why nothing was changed, for operators; holds nothing that was said. */
  message?: string;
  figures: CompactionFigures | null;
  /** Of the lossless engine's sweeps. */
  sweep?: SweepFigures;
  /** Real prompt tokens of the next model call; null until it came. */
  tokensAfterConfirmed: number | null;
  /** Share of the prompt that was read from the cache, 0 … 1: of the last model call before it, and of the next one. */
  cacheShareBefore: number | null;
  cacheShareAfter: number | null;
  /** Messages of people that came while it ran and had to wait; null while it runs. */
  messagesDeferred: number | null;
  /** From the first to the last row it put aside; null where it put none aside. */
  archivedSeqs: { first: number; last: number } | null;
  /** Row of the summary that its own one took the place of. */
  previousSummaryId: number | null;
  /** Rows it wrote. */
  writtenRows: readonly number[];
  userNotified: boolean;
  summaryText?: string | null;
}

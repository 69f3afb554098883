import type { CompactionPlan, NoPlan } from './context-engine.ts';
import type { CompactionFigures, CompressMode, Layer, LedgerRow, Trigger } from '../ledger.ts';
import type { MessageRow } from '../message.ts';
import type { Lease, Session } from '../session.ts';
import type { ProviderCompaction } from './model.ts';
import type { NewReply } from '../turn.ts';
import type { Usage } from '../usage.ts';

export interface OpenedCompaction {
  sessionId: string;
  epoch: number;
  engine: string;
  layer: Layer;
  trigger: Trigger;
  /** Left out where no engine is asked. */
  strategy?: CompressMode;
  /** Share of the last model call's prompt that was read from the cache, 0 … 1; left out where none is known. */
  cacheShareBefore?: number;
  windowTokens: number;
  windowSource: string;
  thresholdRaw: number;
  triggerTokens: number;
  mainModel: string;
}

export interface PreparedPlan {
  id: number;
  plan: CompactionPlan;
  engine: string;
  configHash: string;
  /** Model and time of the call that made it. */
  preparedAt: Date;
}

/** Where a conversation goes on after a rotation. */
export interface Rotated {
  lease: Lease;
  session: Session;
}

/** Why a plan made ahead could not be used. */
export type PlanDrop = 'rows_changed' | 'config_changed' | 'expired';

/** `dropped`: plans that were thrown away on the way. */
export interface FoundPlan {
  plan: PreparedPlan | null;
  dropped: readonly PlanDrop[];
}

/** The newest compaction of a session that stands, and what taking it back would change. Tokens are estimates of rows. */
export interface UndoGround {
  compactionId: number;
  engine: string;
  inPlace: boolean;
  /** Rows it archived. */
  restoredRows: number;
  restoredTokens: number;
  /** Rows it wrote. */
  withdrawnRows: number;
  withdrawnTokens: number;
}

/** `opened` is the ledger row of the undo itself. */
export interface CompactionUndo {
  compactionId: number;
  opened: OpenedCompaction;
  figures: CompactionFigures;
  /** The mailbox row that asked for it: done in the same transaction, so that a repeat takes back nothing more. */
  request: { seq: number; answer: string | null } | null;
}

/** Between a compaction and the former one of its session: turns that began then, their calls and prompts. */
export interface SinceFormer {
  seconds: number;
  turns: number;
  calls: number;
  promptTokens: number;
  /** Tokens by which the former one made every prompt since shorter. */
  savedTokens: number;
}

/** The ledger and the one way rows are archived. */
export interface CompactionStore {
  /** A start row, so that an attempt that dies is seen; returns its id. The sweeper closes orphans as failed. */
  open(opened: OpenedCompaction): Promise<number>;
  /**
   * ONE transaction under the lease: rows still live (else PlanOutdated), archived (active 0, compacted 1, archived_by),
   * planned rows placed (no_seq when a gap is full), engine state, session counters (last_prompt_tokens -1, revision,
   * compaction_count, note, cooldown), ledger row closed, `session:compress` event, replies. Returns the written rows.
   */
  apply(
    lease: Lease,
    compactionId: number,
    plan: CompactionPlan,
    replies: readonly NewReply[],
  ): Promise<readonly MessageRow[]>;
  /**
   * `apply` in rotation mode, with the chats' rows locked too: a child session begins with the kept rows as derived rows and
   * the planned ones, all rows of the parent are archived, the parent is closed; chats, waiting mail, signals and the
   * running turn go along, and so does the lease. Ledger row, event and replies are the child's.
   */
  rotate(
    lease: Lease,
    compactionId: number,
    plan: CompactionPlan,
    replies: readonly NewReply[],
  ): Promise<Rotated>;
  /** Null when no compaction of the session stands. */
  undoGround(sessionId: string): Promise<UndoGround | null>;
  /**
   * ONE transaction under the lease: rows that the compaction archived are live again, byte for byte; rows it wrote are
   * withdrawn; prompt count forgotten (0), revision raised, note cleared when no compaction stands any more, automatic
   * compaction rests (restAfterSeq), prepared plans dropped, the row undone_by, a ledger row of its own, replies.
   * Returns that row's id. Throws undo_refused when it is not the newest that stands, or when what it wrote was
   * changed since; then nothing was written.
   */
  undo(lease: Lease, undo: CompactionUndo, replies: readonly NewReply[]): Promise<number>;
  /**
   * The provider condensed its own view. ONE transaction under the lease: a closed ledger row without figures (no row of
   * ours changed, so it is neither taken back nor judged nor counted as one of ours), the session's counter, and
   * `session:compress` with in_place false and no old session. Returns the row's id.
   */
  recordProvider(
    lease: Lease,
    opened: OpenedCompaction,
    done: { compaction: ProviderCompaction; figures: CompactionFigures },
  ): Promise<number>;
  /** Close without a change; a lease holder's cooldown and streaks are stored too. */
  closeWithout(compactionId: number, result: NoPlan, lease: Lease | null): Promise<void>;
  /**
   * The next real prompt count of the session fills `tokens_after_confirmed` of its newest applied row, once, and judges
   * it: at or over the trigger is a strike, below it the strikes end. Returns the strikes now, null when nothing waited.
   * `cacheReadTokens`, of the prompt, tell what the compaction left of the cache.
   */
  confirm(sessionId: string, usage: Pick<Usage, 'promptTokens' | 'cacheReadTokens'>): Promise<number | null>;
  /** Automatic compactions applied in the last hour, counted up to `atMost`. */
  appliedLastHour(sessionId: string, atMost: number): Promise<number>;

  /** Null where no former compaction changed anything. */
  sinceFormer(sessionId: string, compactionId: number): Promise<SinceFormer | null>;

  /** `revision`: of the session as it was read for the plan; where something was erased since, the plan is not kept. */
  savePrepared(
    sessionId: string,
    prepared: { plan: CompactionPlan; engine: string; configHash: string; ttlMs: number; revision?: number },
  ): Promise<void>;
  /** The newest unexpired plan whose rows are all still live and whose engine and config hash agree; others are dropped. */
  findPrepared(sessionId: string, engine: string, configHash: string): Promise<FoundPlan>;
  dropPrepared(sessionId: string): Promise<void>;
  /** True when a preparation of the session was announced less than `ttlMs` ago and has not ended. */
  preparationUnderWay(sessionId: string): Promise<boolean>;
  markPreparing(sessionId: string, ttlMs: number): Promise<boolean>;
  endPreparing(sessionId: string): Promise<void>;
  /** Idle compaction has looked at the session and need not again before it changes. */
  idleSeen(sessionId: string): Promise<void>;

  ledger(options: { sessionId?: string; limit: number; beforeId?: number }): Promise<readonly LedgerRow[]>;
}

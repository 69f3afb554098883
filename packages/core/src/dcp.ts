/*
 * What the model-guided engine keeps beside the transcript. A state is a plain value: a change is applied to it in memory
 * and to the tables by the same rules, so that both agree. No moments and no texts of messages are in it.
 */

/** A unit: an assistant row with all its tool results, or one row of a person. Named by the id of its first row. */
export type DcpUnitId = number;

/** Numbers of units, never changed and never given twice: m0001 is 1. */
export interface DcpRef {
  unitId: DcpUnitId;
  number: number;
}

/**
 * What is stored of a block; whether it is shown follows from this and from the live rows (`blockActivity`).
 * on: shown unless a younger block took it in, its origin is gone or a row it covers is · user_off: a person turned it
 * off · tainted: a message under it was deleted, edited or erased · reset: the transcript was rewritten; only operators
 * still see it.
 */
export type DcpBlockStatus = 'on' | 'user_off' | 'tainted' | 'reset';

export type DcpAuthor = 'model' | 'host_hygiene' | 'host_emergency';

/** The call that made a block. Call ids may come again, so the turn and the arguments belong to it. */
export interface DcpOrigin {
  turnId: string;
  callId: string;
  /** Hash of the arguments as the model wrote them. */
  argumentsHash: string;
}

export interface DcpBlock {
  /** b1 is 1; rises by one a block, never given twice. */
  number: number;
  /** One a tool call; blocks of one call share it. */
  run: number;
  author: DcpAuthor;
  mode: 'range' | 'message';
  topic: string;
  /** Topic of the whole call, where an entry has one of its own. */
  batchTopic: string | null;
  /** The summary; `(bN)` stands for the text of block N where N is in `refBlocks`, at its first occurrence. '' once erased. */
  body: string;
  /** Blocks whose text is shown inside this one, in order of their places. Always older, always among `consumed`. */
  refBlocks: readonly number[];
  /** The widened range as refs: `m0003`, `b2`. */
  startRef: string;
  endRef: string;
  /** Unit in whose place the summary is shown: the first one covered, by this block or by one it took in. */
  anchorUnit: DcpUnitId;
  /** Units it covers itself, seq order; what its `consumed` blocks cover comes on top. */
  unitIds: readonly DcpUnitId[];
  /** Blocks it took in, ascending. */
  consumed: readonly number[];
  /** null: written by the host. */
  origin: DcpOrigin | null;
  status: DcpBlockStatus;
  /** Tokens of the units that became hidden because of this block. */
  rawTokens: number;
  /** Tokens of its own text with frame, blocks shown inside not counted. */
  summaryTokens: number;
  /** Time the call took; the same for all blocks of a run. */
  durationMs: number;
}

/**
 * duplicate: an older call of the same tool with the same arguments · error_input: inputs of an old failed call ·
 * sweep: a person asked · oversized: an old output too large in an emergency.
 */
export type DcpMarkReason = 'duplicate' | 'error_input' | 'sweep' | 'oversized';

/** A tool call whose output or input is left out of the prompt. Once set it stays. */
export interface DcpMark {
  /** The assistant row that made the call; call ids alone may come again. */
  unitId: DcpUnitId;
  callId: string;
  reason: DcpMarkReason;
  /** The run it was set with; 0 outside one. */
  run: number;
  /** Tokens it saves. */
  tokens: number;
}

export type DcpNudgeKind = 'context_limit' | 'turn' | 'iteration' | 'manual';
export type DcpNudgeLevel = 'none' | 'soft' | 'strong' | 'emergency';

/** Cadence of nudges; never part of what the model reads. */
export interface DcpNudgeState {
  level: DcpNudgeLevel;
  lastKind: DcpNudgeKind | null;
  /** Model calls since the last nudge was shown. */
  callsSinceNudge: number;
  /** Model calls for which no nudge is shown yet. */
  restCalls: number;
  /** Failed compress calls in a row. */
  failedAttempts: number;
}

/** What hygiene last did, so that it does not try the same again. */
export interface DcpHygieneState {
  /** State version at which an attempt did not help. */
  triedVersion: number | null;
}

/** A person asked for a compression: the next request says so once, and one call is allowed in manual mode. */
export interface DcpGrant {
  focus: string | null;
  /** The request that said so went out. */
  isShown: boolean;
}

/** Counts that cannot be told from the blocks. */
export const dcpCounters = [
  'compressCalls',
  'compressFailures',
  'nudges',
  'hygieneBlocks',
  'emergencies',
  'sweeps',
] as const;
export type DcpCounter = (typeof dcpCounters)[number];
export type DcpCounters = Readonly<Record<DcpCounter, number>>;

export interface DcpState {
  /** Rises by one with every change of blocks, marks or refs' generation, and with nothing else. */
  version: number;
  /** Rises when the transcript was rewritten and the refs began anew (numbers go on). */
  generation: number;
  nextRef: number;
  nextBlock: number;
  nextRun: number;
  /** Unit id → number. */
  refs: ReadonlyMap<DcpUnitId, number>;
  /** Ascending by number. */
  blocks: readonly DcpBlock[];
  marks: readonly DcpMark[];
  manualMode: boolean;
  grant: DcpGrant | null;
  nudge: DcpNudgeState;
  hygiene: DcpHygieneState;
  counters: DcpCounters;
}

export type DcpEventKind =
  | 'compress'
  | 'compress_failed'
  | 'nudge'
  | 'decompress'
  | 'recompress'
  | 'manual'
  | 'sweep'
  | 'hygiene'
  | 'emergency'
  | 'taint'
  | 'reset';

/** A line for operators; never a text of a message. */
export interface DcpEvent {
  kind: DcpEventKind;
  detail: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
}

/**
 * What one compress call, nudge, command, hygiene pass or ref assignment changes; stored as one. A member left out
 * changes nothing. Refused as a whole when `baseVersion` is not the stored version.
 */
export interface DcpChange {
  baseVersion: number;
  /** New refs, ascending from `nextRef`. */
  refs?: readonly DcpRef[];
  /** New blocks, ascending from `nextBlock`; their runs ascend from `nextRun`. */
  blocks?: readonly DcpBlock[];
  statuses?: readonly { block: number; status: DcpBlockStatus }[];
  /** Marks that are there already stay as they are. */
  marks?: readonly DcpMark[];
  manualMode?: boolean;
  grant?: DcpGrant | null;
  nudge?: DcpNudgeState;
  hygiene?: DcpHygieneState;
  /** Added to the counters. */
  counts?: Partial<DcpCounters>;
  /** The transcript was rewritten: refs, marks and blocks are gone; comes before the rest. */
  reset?: boolean;
  events?: readonly DcpEvent[];
}

/** True when a change alters what the model is shown of old content, so that the version rises. */
export function raisesDcpVersion(change: DcpChange): boolean {
  return (
    change.reset === true ||
    [change.blocks, change.statuses, change.marks].some((part) => part !== undefined && part.length > 0)
  );
}

/** A session without any state. */
export function emptyDcpState(): DcpState {
  return {
    version: 0,
    generation: 0,
    nextRef: 1,
    nextBlock: 1,
    nextRun: 1,
    refs: new Map(),
    blocks: [],
    marks: [],
    manualMode: false,
    grant: null,
    nudge: { level: 'none', lastKind: null, callsSinceNudge: 0, restCalls: 0, failedAttempts: 0 },
    hygiene: { triedVersion: null },
    counters: {
      compressCalls: 0,
      compressFailures: 0,
      nudges: 0,
      hygieneBlocks: 0,
      emergencies: 0,
      sweeps: 0,
    },
  };
}

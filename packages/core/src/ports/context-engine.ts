import type {
  CompactionFigures,
  CompressMode,
  Layer,
  Outcome,
  Reason,
  SweepFigures,
  Trigger,
} from '../ledger.ts';
import type { MessageRow, NewRow, PromptMessage, RowHeader } from '../message.ts';
import type { Session } from '../session.ts';
import type { Usage } from '../usage.ts';
import type { Clock } from './clock.ts';
import type { ModelInfo, ToolSchema } from './model.ts';
import type { Summariser } from './summariser.ts';
import type { ToolCall, ToolResult, ToolScope } from './tools.ts';

/**
 * The live rows of a session as an engine sees them: headers at once, texts on demand.
 * `rows` is in seq order and holds every row with active = 1, nothing else.
 */
export interface TranscriptView {
  session: Session;
  rows: readonly RowHeader[];
  /** Texts of the named rows, any order; one query, cached for the claim. */
  bodies(ids: readonly number[]): Promise<ReadonlyMap<number, MessageRow>>;
}

/** Token room of one request. */
export interface PromptBudget {
  windowTokens: number;
  /** Kept free for the answer. */
  outputReserveTokens: number;
  /** Estimate of system prompt and tool schemas. */
  overheadTokens: number;
}

/** The size of the next prompt and what may be done about it. */
export interface ContextState {
  /** Tokens of the assembled prompt: last real count + estimate of what came since, else all estimated. */
  promptTokens: number;
  source: 'api' | 'estimate';
  budget: PromptBudget;
  liveRows: number;
  session: Session;
  now: Date;
}

export type CompressDecision =
  | { kind: 'no'; reason: Reason }
  /** Below the trigger, worth preparing a plan in the background. */
  | { kind: 'prepare' }
  | { kind: 'now'; reason: 'threshold' | 'hard_limit' };

export interface CompressRequest {
  layer: Layer;
  trigger: Trigger;
  mode: CompressMode;
  budget: PromptBudget;
  promptTokens: number;
  promptTokensSource: 'api' | 'estimate';
  /** What the person asked to keep, from /compress. */
  focus?: string;
  /** Past cooldowns and feasibility checks: a person asked. */
  force: boolean;
}

/** Where a planned row goes: below what follows a range, or above the row it replaces. The store finds the seq. */
export type RowPlace = { kind: 'range'; lastRowId: number } | { kind: 'replaces'; rowId: number };

export interface PlannedRow extends NewRow {
  place: RowPlace;
}

/** State an engine keeps beside the transcript, stored with the round or plan it came from. */
export interface EngineStateChange {
  engine: string;
  /** Typed by the engine; plug-ins: free JSON. */
  json: unknown;
}

/**
 * What is to be stored. Rows are named by id; the plan is void when one of them is no longer live.
 * An engine never writes itself.
 */
export interface CompactionPlan {
  kind: 'plan';
  outcome: Extract<Outcome, 'success' | 'deterministic' | 'fallback_trim'>;
  reason: Reason;
  archive: readonly number[];
  write: readonly PlannedRow[];
  state?: EngineStateChange;
  /** Shown from now on as the last block of the system prompt; only the first compaction sets it. */
  systemNote?: string;
  summaryModel: string | null;
  figures: CompactionFigures;
  /** Of the lossless engine's sweeps. */
  sweep?: SweepFigures;
  /** Set when the summary model failed and the plan is the local one: least rest; ladders make it longer. */
  cooldownMs?: number;
  /** The summary model failed first, and the main model wrote this. */
  auxiliaryFailure?: AuxiliaryFailure;
  /** Set where a message was held: no other one is held for this long. */
  holdRestMs?: number;
  /** Told to the person in the chat once it is applied, never part of the context. For plans of the engine's own tools. */
  notice?: string;
}

export interface AuxiliaryFailure {
  model: string;
  reason: Reason;
}

/** Nothing to store: the transcript stays as it is. */
export interface NoPlan {
  kind: 'none';
  outcome: Extract<Outcome, 'noop' | 'failed' | 'aborted' | 'skipped' | 'ineffective'>;
  reason: Reason;
  summaryModel: string | null;
  summaryCalls: number;
  /** Least rest before the next automatic attempt; ladders make it longer; undefined keeps what stands. */
  cooldownMs?: number;
  /** Set where a message was held: no other one is held for this long. */
  holdRestMs?: number;
  /** Operator-readable, content-free. */
  message: string;
  /** Stored all the same, where a lease is held: a wish that the model hears of with its next request. */
  stateChange?: EngineStateChange;
}

/** Estimated tokens of live rows: the first ones and the newest ones; what lies between is what gets condensed. */
export interface ProtectedParts {
  headTokens: number;
  tailTokens: number;
  /** Of tool results between both; left out: not told. */
  resultTokens?: number;
}

/** Small work that begins below the trigger, once enough lies outside of what stays word for word. */
export interface EarlyWork {
  /** What lies there now, and from how much on it begins; estimated tokens. */
  messages: number;
  tokens: number;
  neededTokens: number;
  /** Not enough yet · put off while the prompt cache is warm · done in the background. */
  state: 'gathering' | 'held' | 'due';
}

export interface Assembled {
  messages: readonly PromptMessage[];
  stateChange?: EngineStateChange;
}

export interface EngineStatus {
  engine: string;
  /** Share of the window that its part of the config names, before floors and caps; left out: `compression.threshold`. */
  thresholdRaw?: number;
  triggerTokens: number;
  prepareTokens: number;
  hardLimitTokens: number;
  lines: readonly string[];
}

/** What a chat command of an engine came to. `text` is answered as a notice and never part of the context. */
export interface EngineCommandEnd {
  text: string;
  plan?: CompactionPlan;
  stateChange?: EngineStateChange;
}

/** What a call of an engine's tool came to. */
export interface EngineCallEnd {
  result: ToolResult;
  plan?: CompactionPlan;
  stateChange?: EngineStateChange;
}

export interface EngineCommand {
  /** Without the slash; what follows it in the chat is the argument. */
  name: string;
  description: string;
  /** The description in other languages, by the first part of their tags. */
  translations?: Readonly<Record<string, string>>;
  /** `language`: tag of the reader's; left out: English. */
  run(argument: string, view: TranscriptView, language?: string): Promise<EngineCommandEnd>;
}

/** Work an engine puts off until after the reply: noted in the turn's last transaction, done by a maintenance job. */
export interface DeferredWork {
  stateChange: EngineStateChange;
  /** 0: as soon as the session is free; else the sweeper finds it when the time is up. */
  dueInMs: number;
}

/**
 * A context engine. Decisions are pure; models only through the summariser handed in; one instance per claimed
 * session, built from stored state. Never: I/O, timers, own copies of transcript text, a throw for a model failure.
 */
export interface ContextEngine {
  readonly name: string;
  /** Constant text for the system prompt, may be empty. */
  readonly systemText: string;
  /** False: mode `prune` does nothing here, so nobody asks for it. */
  readonly prunes?: boolean;
  /** True: of the live rows only few texts are ever read, so they are not read ahead. */
  readonly readsFew?: boolean;
  shouldCompress(state: ContextState): CompressDecision;
  /** Estimated tokens and number of the messages that `assemble` would give; left out: every live row as it is. */
  measure?(view: TranscriptView): { tokens: number; rows: number };
  /** What a compaction of this prompt would leave word for word; left out: nothing is known before it is planned. */
  protectedParts?(view: TranscriptView, state: ContextState): ProtectedParts;
  /** Left out or null: nothing is condensed before the trigger. */
  earlyWork?(view: TranscriptView, state: ContextState): EarlyWork | null;
  /** The messages of the next request. Deterministic; runs for every request, before cache marks. */
  assemble(view: TranscriptView, budget: PromptBudget): Promise<Assembled>;
  compress(
    view: TranscriptView,
    request: CompressRequest,
    help: { summariser: Summariser; clock: Clock; signal: AbortSignal },
  ): Promise<CompactionPlan | NoPlan>;
  /** State changes of this, `assemble` and `updateModel` are stored with the round, each once. */
  updateFromResponse(usage: Usage): { stateChange?: EngineStateChange };
  updateModel(model: ModelInfo): { stateChange?: EngineStateChange };
  getToolSchemas(): readonly ToolSchema[];
  /** `plan` and `stateChange` are stored with the call's round: first all changes, made on what stood there before it, then all plans. */
  handleToolCall(call: ToolCall, scope: ToolScope, view: TranscriptView): Promise<EngineCallEnd>;
  /** Take out of the model's words what only this engine put into the prompt; left out: nothing. */
  cleanAnswer?(text: string): string;
  /** Asked just before a turn ends. */
  deferred?(state: ContextState): DeferredWork | null;
  /** The plan of /new; left out or null: every live row is archived. */
  newChapter?(view: TranscriptView): Promise<CompactionPlan | null>;
  /** Plans for switching a running session to and from this engine; null = nothing to change. */
  enter(view: TranscriptView): Promise<CompactionPlan | null>;
  leave(view: TranscriptView): Promise<CompactionPlan | null>;
  onSessionStart(session: Session): void;
  onSessionEnd(session: Session): void;
  onSessionReset(): void;
  /** `language`: tag of the one that `lines` are for; left out: English. */
  getStatus(budget: PromptBudget, language?: string): EngineStatus;
  commands(): readonly EngineCommand[];
}

/** Builds an engine for one claimed session. `state` is what was last stored for it, null at first. */
export interface EngineFactory {
  readonly name: string;
  /** Reads the state of an engine with tables of its own; left out: the JSON of its last state change. */
  load?(session: Session): Promise<unknown>;
  create(input: { session: Session; model: ModelInfo; state: unknown }): ContextEngine;
}

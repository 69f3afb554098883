import {
  addUsage,
  estimateParts,
  noUsage,
  traced,
  type ContextEngine,
  type EngineStateChange,
  type FellBack,
  type ModelClient,
  type ModelFailure,
  type NewRow,
  type OpenRound,
  type PromptBudget,
  type ProviderCompaction,
  type SystemBlocks,
  type ToolSchema,
  type Tracer,
  type TranscriptView,
  type Usage,
} from '@palimpsest/core';
import { collectAnswer, type CollectedAnswer } from './collect-answer.ts';
import type { PromptImages } from './prompt-images.ts';
import { resumeRound, runTools, type ToolBox, type ToolRun } from './run-tools.ts';

/** A complete tool round on its way to the store. */
export interface Round {
  step: number;
  rows: readonly NewRow[];
  usage: Usage | null;
  engineStates: readonly EngineStateChange[];
}

/** What the agent asks of the path it runs on. Everything that touches the world is in here. */
export interface AgentHooks {
  /**
   * Before every request: apply or make a compaction if the prompt needs room. `overflow` carries the provider's
   * refusal; false then means that no more room can be made.
   */
  makeRoom(why: { kind: 'before_request' } | { kind: 'overflow'; failure: ModelFailure }): Promise<boolean>;
  storeRound(round: Round): Promise<void>;
  saveOpenRound(round: OpenRound): Promise<void>;
  /** After a stored round, before the next request: what was said meanwhile may join the conversation. */
  takeIn(): Promise<void>;
  progress(text: string, note: string): void;
  /** Tokens of the prompt about to be sent, for max_tokens and for pricing it afterwards. */
  promptTokens(): number;
  /** The provider condensed its own view of the conversation: nothing of ours changed, but it is to be noted. */
  condensed(compaction: ProviderCompaction): Promise<void>;
  /** Another model answers from here on, at the full price of the whole conversation: the person is told. */
  fellBack(change: FellBack): Promise<void>;
  /** After every answer, with the real count when the provider gave one. */
  priced(usage: Usage | null): Promise<void>;
}

export interface AgentRun {
  model: ModelClient;
  /** Asked for anew at each use: after a compaction another instance stands in its place. */
  engine(): ContextEngine;
  view(): TranscriptView;
  system(): SystemBlocks;
  /** The pictures that the messages name; left out: they are only named. */
  images?: PromptImages;
  toolSchemas: readonly ToolSchema[];
  budget(): PromptBudget;
  box: ToolBox;
  scope: ToolRun['scope'];
  /** Highest step stored by a former attempt. */
  lastStep: number;
  openRound: OpenRound | null;
  maxSteps: number;
  /** Left out: nothing is traced. */
  tracer?: Tracer;
  hooks: AgentHooks;
}

/** What no stored round holds yet. `usage` null: no call, or none that was counted. */
interface Unstored {
  usage: Usage | null;
  engineStates: readonly EngineStateChange[];
}

export type AgentEnd = Unstored &
  (
    | { kind: 'answered'; step: number; row: NewRow; text: string; cut: boolean }
    | { kind: 'stopped'; step: number; text: string }
    | { kind: 'failed'; step: number; failure: ModelFailure; text: string }
  );

/** Overflow answers of the provider are met with a compaction at most this often a turn; more would only spend money. */
const maxOverflows = 3;
/** A response cut off in mid-stream, or empty, is asked for again this often. */
const maxRepeats = 2;

/**
 * The loop: request → tool calls → round stored → request … → final answer.
 * Nothing is stored here but through the hooks; an abort ends it at the next chunk or tool border.
 */
export async function runAgent(run: AgentRun): Promise<AgentEnd> {
  let step = run.lastStep + 1;
  const pending = new Pending();
  if (run.openRound) {
    const rows = [
      run.openRound.rows[0]!,
      ...(await resumeRound(run.openRound, toolRun(run, run.openRound.step))),
    ];
    await run.hooks.storeRound({ step: run.openRound.step, rows, usage: null, engineStates: [] });
    step = run.openRound.step + 1;
  }
  for (; step <= run.maxSteps; step++) {
    const answer = await askUntilAnswered(run, pending);
    if (answer.kind === 'failed') {
      const { failure, text } = answer;
      const stopped = failure.kind === 'aborted' || run.scope.signal.aborted;
      return stopped
        ? { kind: 'stopped', step, text, ...pending.take() }
        : { kind: 'failed', step, failure, text, ...pending.take() };
    }
    await run.hooks.priced(answer.usage);
    pending.addState(run.engine().updateFromResponse(answer.usage ?? noUsage).stateChange);
    const { row, text } = answer;
    if (!row.parts.some((part) => part.type === 'tool_call')) {
      const cut = answer.stop === 'max_tokens' || answer.stop === 'window_exceeded';
      return { kind: 'answered', step, row, text, cut, ...pending.take() };
    }
    const results = await runTools(row, toolRun(run, step));
    await run.hooks.storeRound({ step, rows: [row, ...results], ...pending.take() });
    if (run.scope.signal.aborted) return { kind: 'stopped', step: step + 1, text, ...pending.take() };
    await run.hooks.takeIn();
  }
  return outOfSteps(run, step);
}

/** On its way to the next stored round: what calls took, and state changes in the order they came. */
class Pending {
  #usage: Usage | null = null;
  #states: EngineStateChange[] = [];

  addUsage(usage: Usage | null): void {
    if (usage) this.#usage = this.#usage ? addUsage(this.#usage, usage) : usage;
  }

  addState(change: EngineStateChange | undefined): void {
    if (change) this.#states.push(change);
  }

  dropStates(): void {
    this.#states = [];
  }

  take(): Unstored {
    const taken = { usage: this.#usage, engineStates: this.#states };
    this.#usage = null;
    this.#states = [];
    return taken;
  }
}

function toolRun(run: AgentRun, step: number): ToolRun {
  return { box: run.box, scope: run.scope, step, save: (round) => run.hooks.saveOpenRound(round) };
}

/**
 * One answer, through overflows (room is made; where none can be, a fallback model with a larger window is asked once) and
 * cut streams (asked again).
 */
async function askUntilAnswered(run: AgentRun, pending: Pending): Promise<CollectedAnswer> {
  let overflows = 0;
  let repeats = 0;
  let isPastWindow = false;
  await run.hooks.makeRoom({ kind: 'before_request' });
  for (;;) {
    const answer = await ask(run, pending, isPastWindow);
    if (answer.kind === 'failed') {
      const { failure } = answer;
      if (failure.kind === 'overflow' && overflows++ < maxOverflows) {
        // Room is made from what is stored and the engine built anew from it: what it gave for this request is void.
        pending.dropStates();
        if (await run.hooks.makeRoom({ kind: 'overflow', failure })) continue;
      }
      if (failure.kind === 'overflow' && !isPastWindow && run.model.info.widerWindowTokens !== undefined) {
        isPastWindow = true;
        continue;
      }
      // One of the pictures may be what it does not take: rather an answer without them than none, now and ever.
      if (failure.kind === 'bad_request' && run.images?.hide()) continue;
      if (failure.kind === 'stream_cut' && repeats++ < maxRepeats && !run.scope.signal.aborted) continue;
      return answer;
    }
    pending.addUsage(answer.usage);
    if (answer.row.parts.every((part) => part.type === 'sidecar')) {
      if (repeats++ < maxRepeats) continue;
      const failure: ModelFailure = {
        kind: 'server_error',
        retryable: true,
        message: 'the model gave an empty answer three times',
      };
      return { kind: 'failed', failure, text: '' };
    }
    return answer;
  }
}

async function ask(run: AgentRun, pending: Pending, isPastWindow: boolean): Promise<CollectedAnswer> {
  const budget = run.budget();
  const engine = run.engine();
  const { messages, stateChange } = await traced(run, 'context.assemble', {
    attributes: { 'gateway.engine': engine.name },
    work: () => engine.assemble(run.view(), budget),
  });
  pending.addState(stateChange);
  const images = await run.images?.of(messages);
  const request = {
    sessionId: run.scope.session.id,
    system: run.system(),
    messages,
    ...(images ? { images } : {}),
    tools: run.toolSchemas,
    maxTokens: mostAnswerTokens(run, budget),
    ...(isPastWindow ? { isPastWindow } : {}),
    purpose: 'turn' as const,
    // The settings of `compression` drive nothing under other engines, nor does a provider that goes by them.
    compactAtTokens: engine.name === 'compressor' ? engine.getStatus(budget).triggerTokens : null,
  };
  return collectAnswer(run.model, request, {
    signal: run.scope.signal,
    cleanText: (text) => engine.cleanAnswer?.(text) ?? text,
    onText: (text) => run.hooks.progress(text, ''),
    onCondensed: (compaction) => run.hooks.condensed(compaction),
    onFellBack: (change) => run.hooks.fellBack(change),
    onRetry: (failure, waitMs) =>
      run.hooks.progress('', `${failure.kind}: trying again in ${Math.ceil(waitMs / 1000)} s`),
  });
}

/** A prompt past its window can only be answered by a wider model. */
function mostAnswerTokens(
  { model, hooks }: AgentRun,
  { windowTokens, outputReserveTokens }: PromptBudget,
): number {
  const { maxOutputTokens, widerWindowTokens = windowTokens } = model.info;
  const promptTokens = hooks.promptTokens();
  const room = (promptTokens < windowTokens ? windowTokens : widerWindowTokens) - promptTokens;
  return Math.max(1, Math.min(outputReserveTokens, maxOutputTokens, room));
}

function outOfSteps(run: AgentRun, step: number): AgentEnd {
  const text = `I stopped after ${run.maxSteps} steps without reaching an end. What was done so far is kept; say "go on" to continue.`;
  const parts = [{ type: 'text' as const, text }];
  const row: NewRow = { role: 'assistant', kind: 'assistant', parts, tokens: estimateParts(parts) };
  return { kind: 'answered', step, row, text, cut: false, usage: null, engineStates: [] };
}

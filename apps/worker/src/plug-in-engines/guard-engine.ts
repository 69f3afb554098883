import type {
  Assembled,
  CompactionPlan,
  CompressDecision,
  CompressRequest,
  ContextEngine,
  ContextState,
  DeferredWork,
  EngineCallEnd,
  EngineCommand,
  EngineStateChange,
  EngineStatus,
  ModelInfo,
  NoPlan,
  PromptBudget,
  Session,
  ToolCall,
  ToolSchema,
  ToolScope,
  TranscriptView,
  Usage,
} from '@palimpsest/core';
import { Attempts, type Tell } from './attempts.ts';
import * as sound from './judge-answers.ts';
import { ownCommands } from './own-commands.ts';
import { ownState } from './own-state.ts';

export interface GuardParts {
  /** Does what the plug-in's member failed to do. */
  builtIn: ContextEngine;
  tell: Tell;
  /** One whole compaction at most. */
  compressMs: number;
}

type Help = Parameters<ContextEngine['compress']>[2];
interface Change {
  stateChange?: EngineStateChange;
}

/** A request waits for an engine; one that has not answered by then never will. */
const answerMs = 30_000;

/** A plug-in's engine in which every member answers: what throws, hangs or makes no sense is told of and done otherwise. */
export class GuardedEngine implements ContextEngine {
  readonly name: string;
  readonly systemText: string;
  readonly prunes?: boolean;
  readonly measure?: ContextEngine['measure'];
  readonly cleanAnswer?: ContextEngine['cleanAnswer'];
  readonly deferred?: ContextEngine['deferred'];
  readonly newChapter?: ContextEngine['newChapter'];
  readonly #engine: ContextEngine;
  readonly #builtIn: ContextEngine;
  readonly #compressMs: number;
  readonly #attempts: Attempts;
  readonly #schemas: readonly ToolSchema[];
  readonly #commands: readonly EngineCommand[];

  constructor(engine: ContextEngine, { builtIn, tell, compressMs }: GuardParts) {
    this.name = engine.name;
    this.systemText = engine.systemText;
    this.#engine = engine;
    this.#builtIn = builtIn;
    this.#compressMs = compressMs;
    this.#attempts = new Attempts(tell);
    if (engine.prunes !== undefined) this.prunes = engine.prunes;
    if (engine.measure) this.measure = (view) => this.#measured(view);
    if (engine.cleanAnswer) this.cleanAnswer = (text) => this.#cleaned(text);
    if (engine.deferred) this.deferred = (state) => this.#put(state);
    if (engine.newChapter) this.newChapter = (view) => this.#switching('newChapter', view);
    // Once an instance, so that the prompt cannot change from request to request.
    this.#schemas = this.#now(
      'getToolSchemas',
      () => engine.getToolSchemas(),
      sound.isToolSchemas,
      () => [],
    );
    this.#commands = ownCommands(engine, this.#attempts);
  }

  shouldCompress(state: ContextState): CompressDecision {
    const ask = () => this.#engine.shouldCompress(state);
    return this.#now('shouldCompress', ask, sound.isDecision, () => this.#builtIn.shouldCompress(state));
  }

  async assemble(view: TranscriptView, budget: PromptBudget): Promise<Assembled> {
    const made = await this.#attempts.later<Assembled>(answerMs, {
      member: 'assemble',
      ask: () => this.#engine.assemble(view, budget),
      isSound: (answer) => sound.isAssembled(answer, view),
      instead: () => this.#builtIn.assemble(view, budget),
    });
    return { ...made, ...this.#changed(made) };
  }

  async compress(
    view: TranscriptView,
    request: CompressRequest,
    help: Help,
  ): Promise<CompactionPlan | NoPlan> {
    const made = await this.#attempts.later<CompactionPlan | NoPlan>(this.#compressMs, {
      member: 'compress',
      ask: () => this.#engine.compress(view, request, help),
      isSound: (answer) => sound.isMade(answer, view),
      instead: () => this.#builtIn.compress(view, request, help),
    });
    if (made.kind === 'plan') return this.#plan(made);
    const { stateChange, ...none } = made;
    return { ...none, ...this.#changed({ stateChange }) };
  }

  updateFromResponse(usage: Usage): Change {
    const ask = () => this.#engine.updateFromResponse(usage);
    return this.#changed(this.#now('updateFromResponse', ask, sound.isObject, () => ({})));
  }

  updateModel(model: ModelInfo): Change {
    this.#builtIn.updateModel(model);
    const ask = () => this.#engine.updateModel(model);
    return this.#changed(this.#now('updateModel', ask, sound.isObject, () => ({})));
  }

  getToolSchemas(): readonly ToolSchema[] {
    return this.#schemas;
  }

  async handleToolCall(call: ToolCall, scope: ToolScope, view: TranscriptView): Promise<EngineCallEnd> {
    const failed = { text: `${call.name} failed inside the context engine`, isError: true };
    const { result, plan, stateChange } = await this.#attempts.later<EngineCallEnd>(answerMs, {
      member: 'handleToolCall',
      ask: () => this.#engine.handleToolCall(call, scope, view),
      isSound: sound.isToolEnd,
      instead: () => Promise.resolve({ result: failed }),
    });
    const change = this.#changed({ stateChange });
    if (plan === undefined) return { result, ...change };
    if (sound.isMade(plan, view)) return { result, plan: this.#plan(plan), ...change };
    this.#attempts.tell('handleToolCall', 'its plan makes no sense');
    return { result: failed };
  }

  enter(view: TranscriptView): Promise<CompactionPlan | null> {
    return this.#switching('enter', view);
  }

  leave(view: TranscriptView): Promise<CompactionPlan | null> {
    return this.#switching('leave', view);
  }

  onSessionStart(session: Session): void {
    this.#now(
      'onSessionStart',
      () => this.#engine.onSessionStart(session),
      sound.anything,
      () => {},
    );
  }

  onSessionEnd(session: Session): void {
    this.#now(
      'onSessionEnd',
      () => this.#engine.onSessionEnd(session),
      sound.anything,
      () => {},
    );
  }

  onSessionReset(): void {
    this.#now(
      'onSessionReset',
      () => this.#engine.onSessionReset(),
      sound.anything,
      () => {},
    );
  }

  getStatus(budget: PromptBudget, language?: string): EngineStatus {
    const instead = () => ({ ...this.#builtIn.getStatus(budget, language), engine: this.name });
    const ask = () => this.#engine.getStatus(budget, language);
    return this.#now('getStatus', ask, sound.isEngineStatus, instead);
  }

  commands(): readonly EngineCommand[] {
    return this.#commands;
  }

  #measured(view: TranscriptView): { tokens: number; rows: number } {
    const instead = () => ({
      tokens: view.rows.reduce((sum, row) => sum + row.tokens, 0),
      rows: view.rows.length,
    });
    return this.#now('measure', () => this.#engine.measure!(view), sound.isMeasured, instead);
  }

  #cleaned(text: string): string {
    const isText = (answer: unknown) => typeof answer === 'string';
    return this.#now(
      'cleanAnswer',
      () => this.#engine.cleanAnswer!(text),
      isText,
      () => text,
    );
  }

  #put(state: ContextState): DeferredWork | null {
    const isSound = (answer: unknown) =>
      answer === null || (sound.isObject(answer) && Number.isFinite(answer['dueInMs']));
    const work = this.#now(
      'deferred',
      () => this.#engine.deferred!(state),
      isSound,
      () => null,
    );
    const stateChange = this.#state(work?.stateChange);
    return work && stateChange ? { ...work, stateChange } : null;
  }

  async #switching(
    member: 'enter' | 'leave' | 'newChapter',
    view: TranscriptView,
  ): Promise<CompactionPlan | null> {
    const plan = await this.#attempts.later<CompactionPlan | null>(answerMs, {
      member,
      ask: () => this.#engine[member]!(view),
      isSound: (answer) => answer === null || (sound.isMade(answer, view) && isPlan(answer)),
      instead: () => Promise.resolve(null),
    });
    return plan && this.#plan(plan);
  }

  #plan(plan: CompactionPlan): CompactionPlan {
    return { ...plan, state: this.#state(plan.state) };
  }

  #changed({ stateChange }: Change): Change {
    const own = this.#state(stateChange);
    return own ? { stateChange: own } : {};
  }

  #state(change: EngineStateChange | undefined): EngineStateChange | undefined {
    return ownState(change, this.name, (member, problem) => this.#attempts.tell(member, problem));
  }

  #now<Answer>(
    member: string,
    ask: () => Answer,
    ...[isSound, instead]: [isSound: (answer: unknown) => boolean, instead: () => Answer]
  ): Answer {
    return this.#attempts.now({ member, ask, isSound, instead });
  }
}

function isPlan(answer: unknown): boolean {
  return (answer as { kind?: unknown }).kind === 'plan';
}

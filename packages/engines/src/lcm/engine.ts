import type {
  Assembled,
  CompactionPlan,
  CompressDecision,
  CompressRequest,
  ContextEngine,
  ContextState,
  DeferredWork,
  EarlyWork,
  EngineCommand,
  EngineStateChange,
  EngineStatus,
  LcmTelemetry,
  ModelInfo,
  NoPlan,
  PromptBudget,
  ProtectedParts,
  RowHeader,
  ToolCall,
  ToolResult,
  ToolSchema,
  ToolScope,
  TranscriptView,
  Usage,
} from '@palimpsest/core';
import { assemble, roomOf } from './assemble.ts';
import { stateChange } from './build-plan.ts';
import { cacheNow, observeCache } from './cache-state.ts';
import { lcmCommand } from './commands.ts';
import type { CompressHelp } from './compress-ground.ts';
import { compress } from './compress.ts';
import { decideCompress } from './decide-compress.ts';
import { deferredWork } from './deferred-work.ts';
import { telemetryOf, windowOnly, type EngineInput, type LcmParts } from './engine-parts.ts';
import { describeFiles } from './describe-files.ts';
import { earlyWork } from './early-work.ts';
import { enterPlan } from './enter-engine.ts';
import { freshTail } from './fresh-tail.ts';
import { tailLimits } from './workbench.ts';
import { mergeItems, tokensOf, type ContextItem } from './items.ts';
import { leavePlan } from './leave-engine.ts';
import { newChapterPlan } from './new-chapter.ts';
import { runDoctor, runRepair } from './run-doctor.ts';
import { sizesOf, type Sizes } from './sizes.ts';
import { statusLines } from './status-lines.ts';
import { sayIn, type Say } from '../words/say.ts';
import { systemText } from './system-text.ts';
import { runTool } from './tools/run-tool.ts';
import { lcmTools } from './tools/schemas.ts';

/**
 * The lossless engine of one claimed session: older messages stand as summaries in a graph, nothing is lost, the model opens
 * what it needs. Its items are those of the claim's beginning; after a plan the path builds it anew.
 */
export class LcmEngine implements ContextEngine {
  readonly name = 'lcm';
  readonly systemText = systemText;
  readonly prunes = false;
  readonly #parts: LcmParts;
  readonly #input: EngineInput;
  #model: ModelInfo;
  #telemetry: LcmTelemetry;
  #budget: PromptBudget;
  #now: Date;
  #isAsked = false;
  /** Rows whose texts this engine has asked for. */
  readonly #seen = new Set<number>();
  #view: TranscriptView | null = null;
  #merged: { rows: readonly RowHeader[]; items: readonly ContextItem[] } | null = null;

  constructor(parts: LcmParts, input: EngineInput) {
    this.#parts = parts;
    this.#input = input;
    this.#model = input.model;
    this.#telemetry = telemetryOf(input.state, input.model);
    this.#budget = windowOnly(input.model);
    this.#now = input.state.now;
  }

  shouldCompress(state: ContextState): CompressDecision {
    this.#now = state.now;
    const decision = decideCompress(state, this.#sizes(state.budget), {
      config: this.#parts.config,
      spend: this.#input.state.spend,
    });
    this.#isAsked ||= decision.kind === 'now';
    return decision;
  }

  /** A prompt is never larger than its room: what is over it is left out. */
  measure(view: TranscriptView): { tokens: number; rows: number } {
    const items = this.#items(view);
    const room = roomOf(this.#sizes(this.#budget), view.session);
    return { tokens: Math.min(tokensOf(items), room), rows: items.length };
  }

  protectedParts(view: TranscriptView, { budget }: ContextState): ProtectedParts {
    const items = this.#items(view);
    const tail = freshTail(items, tailLimits(this.#sizes(budget)));
    const middle = items.filter((_, index) => !tail.has(index));
    const results = middle.filter((item) => item.kind === 'row' && item.row.role === 'tool');
    return {
      headTokens: 0,
      tailTokens: tokensOf(items) - tokensOf(middle),
      resultTokens: tokensOf(results),
    };
  }

  earlyWork(view: TranscriptView, { promptTokens, budget, now }: ContextState): EarlyWork | null {
    const ground = this.#ground(view, budget);
    return earlyWork(promptTokens, { ...ground, state: { ...ground.state, now } });
  }

  async assemble(view: TranscriptView, budget: PromptBudget): Promise<Assembled> {
    const { bodies, present, config, measures } = this.#parts;
    const messages = await assemble(view, this.#items(view), {
      measures,
      seen: this.#seen,
      sizes: this.#sizes(budget),
      bodies,
      present,
      stubs: config.context.lcm.stub_large_tool_payloads,
    });
    const files = await describeFiles(messages, view.session.id, this.#parts);
    return files.length === 0 ? { messages } : { messages, stateChange: stateChange({ files }) };
  }

  compress(
    view: TranscriptView,
    request: CompressRequest,
    help: CompressHelp,
  ): Promise<CompactionPlan | NoPlan> {
    const ground = { ...this.#ground(view, request.budget), fallbacks: this.#parts.fallbacks, help };
    return compress(view, request, ground);
  }

  updateFromResponse(usage: Usage): { stateChange?: EngineStateChange } {
    if (usage.promptTokens === 0) return {};
    this.#telemetry = observeCache(this.#telemetry, usage, { now: this.#now, rules: this.#parts.rules });
    return { stateChange: stateChange({ telemetry: this.#telemetry }) };
  }

  updateModel(model: ModelInfo): { stateChange?: EngineStateChange } {
    this.#model = model;
    this.#budget = windowOnly(model);
    this.#telemetry = telemetryOf(this.#input.state, model);
    return {};
  }

  getToolSchemas(): readonly ToolSchema[] {
    return lcmTools;
  }

  async handleToolCall(
    call: ToolCall,
    scope: ToolScope,
    view: TranscriptView,
  ): Promise<{ result: ToolResult }> {
    const { store, config, time, clock, reader, inFlight } = this.#parts;
    const result = await runTool(call, {
      store,
      config: config.context.lcm,
      sessionId: scope.session.id,
      time,
      clock,
      signal: scope.signal,
      reader,
      inFlight,
      statusLines: () => this.#statusLines(view, sayIn(undefined)),
    });
    this.#parts.measures.opened(call.name, result);
    return { result };
  }

  deferred(state: ContextState): DeferredWork | null {
    if (!this.#view) return null;
    return deferredWork(state, this.#ground(this.#view, state.budget), this.#isAsked);
  }

  newChapter(view: TranscriptView): Promise<CompactionPlan | null> {
    const depth = this.#parts.config.context.lcm.new_session_retain_depth;
    return Promise.resolve(newChapterPlan(view, this.#items(view), depth));
  }

  enter(view: TranscriptView): Promise<CompactionPlan | null> {
    return enterPlan(view, this.#parts.store, this.#parts.time);
  }

  leave(view: TranscriptView): Promise<CompactionPlan | null> {
    return leavePlan(view, this.#items(view), this.#parts);
  }

  onSessionStart(): void {}

  onSessionEnd(): void {}

  onSessionReset(): void {}

  getStatus(budget: PromptBudget, language?: string): EngineStatus {
    const { thresholdRaw, triggerTokens, prepareTokens, hardLimitTokens } = this.#sizes(budget);
    const { items } = this.#input.state;
    return {
      engine: this.name,
      thresholdRaw,
      triggerTokens,
      prepareTokens,
      hardLimitTokens,
      // Limits are asked for at every request, lines only by people.
      get lines() {
        const say = sayIn(language);
        const sizes = { trigger: say.number(triggerTokens), window: say.number(budget.windowTokens) };
        return [
          say('lcmAbove', sizes),
          say('lcmInContext', { summaries: say.counted(items.length, 'summary') }),
        ];
      },
    };
  }

  commands(): readonly EngineCommand[] {
    const ground = (view: TranscriptView) => this.#ground(view, this.#budget);
    return [
      lcmCommand({
        statusLines: (view, say) => this.#statusLines(view, say),
        doctorLines: (view, say) => runDoctor(view, this.#parts, say),
        repair: (view, say) => runRepair(view, this.#parts, { ...ground(view), say }),
      }),
    ];
  }

  async #statusLines(view: TranscriptView, say: Say): Promise<readonly string[]> {
    const status = await this.#parts.store.status(view.session.id);
    return statusLines(status, this.#input.state, {
      sizes: this.#sizes(this.#budget),
      cache: cacheNow(this.#telemetry, this.#now, this.#parts.rules),
      contextTokens: this.measure(view).tokens,
      say,
    });
  }

  #sizes(budget: PromptBudget): Sizes {
    this.#budget = budget;
    return sizesOf(this.#parts.config, budget, { session: this.#input.session, model: this.#model });
  }

  /** Merged once a set of rows: the view hands out another array whenever it changes. */
  #items(view: TranscriptView): readonly ContextItem[] {
    this.#view = view;
    const { rows } = view;
    if (this.#merged?.rows !== rows)
      this.#merged = { rows, items: mergeItems(rows, this.#input.state.items) };
    return this.#merged.items;
  }

  #ground(view: TranscriptView, budget: PromptBudget) {
    const { config, store, bodies, style, rules, measures } = this.#parts;
    return {
      config,
      store,
      bodies,
      state: this.#input.state,
      items: this.#items(view),
      sizes: this.#sizes(budget),
      style,
      telemetry: this.#telemetry,
      rules,
      measures,
    };
  }
}

/** One session of the model-guided engine in memory: rows, state and engine, driven as the path drives them. */
import {
  defaultConfig,
  emptyDcpState,
  estimateParts,
  outputReserveTokens,
  type Assembled,
  type CompactionPlan,
  type CompressRequest,
  type Config,
  type ContextEngine,
  type DcpChange,
  type DcpState,
  type EngineStateChange,
  type Logger,
  type MessageRow,
  type ModelInfo,
  type NewRow,
  type NoPlan,
  type Part,
  type PromptBudget,
  type PromptMessage,
  type Session,
} from '@palimpsest/core';
import { dcpFactory } from '@palimpsest/engines';
import { applyChange } from '../../packages/engines/src/dcp/state/apply-change.ts';
import { fixedClock } from './compress.ts';
import {
  aModel,
  answerRow,
  aSession,
  callRow,
  MemoryTranscript,
  ScriptedSummariser,
  userRow,
} from './memory-transcript.ts';

type DcpConfig = Config['context']['dcp'];

/** Whole settings with some of `context.dcp` changed; a nested section is given whole or in part. */
export type DcpChanges = {
  [Key in keyof DcpConfig]?: DcpConfig[Key] extends object ? Partial<DcpConfig[Key]> : DcpConfig[Key];
};

export function dcpConfig(changes: DcpChanges = {}): Config {
  const config = defaultConfig();
  const merged = Object.entries(changes).map(([name, value]) => {
    const was = config.context.dcp[name as keyof DcpConfig];
    const isSection = typeof was === 'object' && was !== null && !Array.isArray(was);
    return [name, isSection ? { ...was, ...(value as object) } : value];
  });
  const dcp = { ...config.context.dcp, ...Object.fromEntries(merged) } as DcpConfig;
  return { ...config, context: { ...config.context, dcp } };
}

export interface WorldOptions {
  config?: DcpChanges;
  windowTokens?: number;
  model?: Partial<ModelInfo>;
  session?: Partial<Session>;
  logger?: Logger;
  isSubAgent?: boolean;
}

export interface ToolUse {
  id: string;
  name?: string;
  args?: string;
  result: string | null;
  isError?: boolean;
}

export interface RangeEntry {
  startId: string;
  endId: string;
  summary: string;
}

export class DcpWorld {
  readonly transcript: MemoryTranscript;
  readonly budget: PromptBudget;
  state: DcpState = emptyDcpState();
  engine: ContextEngine;
  turn = 0;
  #calls = 0;
  readonly #options: WorldOptions;

  constructor(options: WorldOptions = {}) {
    const windowTokens = options.windowTokens ?? 200_000;
    const reserve = outputReserveTokens({ windowTokens, maxOutputTokens: 8_000, configuredMaxTokens: null });
    this.budget = { windowTokens, outputReserveTokens: reserve, overheadTokens: 500 };
    this.#options = options;
    this.transcript = new MemoryTranscript(aSession({ engine: 'dcp', ...options.session }));
    this.engine = this.rebuild();
  }

  /** The engine as the path builds it anew from stored state. */
  rebuild(): ContextEngine {
    const { config, model, logger, isSubAgent = false } = this.#options;
    const factory = dcpFactory({
      // Tests count messages; a tail by tokens would take in all of a short conversation.
      config: dcpConfig({ preserveRecentTokens: 1, ...config }),
      store: { load: () => Promise.resolve(this.state) },
      logger,
      clock: fixedClock,
      isSubAgent: () => isSubAgent,
    });
    const info = aModel({ windowTokens: this.budget.windowTokens, ...model });
    this.engine = factory.create({ session: this.transcript.session, model: info, state: this.state });
    return this.engine;
  }

  /** A message of the person; a new turn begins. */
  say(text: string): MessageRow {
    this.turn += 1;
    return this.append(userRow(text));
  }

  answer(text: string): MessageRow {
    return this.append(answerRow(text));
  }

  /** One step with its calls and results. */
  step(uses: readonly ToolUse[], text = ''): MessageRow {
    const row = this.append(
      callRow(
        uses.map(({ id, name, args }) => ({ id, name, args })),
        text,
      ),
    );
    for (const { id, name, result, isError } of uses)
      if (result !== null) this.append(toolRow(id, { name, text: result, isError }));
    return row;
  }

  append(row: NewRow): MessageRow {
    return Object.assign(this.transcript.append(row), { turnId: `t${this.turn}` });
  }

  /** The provider has counted the last request; what comes behind the newest row is estimated. */
  price(promptTokens: number): void {
    const lastPricedSeq = this.transcript.rows.at(-1)?.seq ?? 0;
    const lastPromptTokens = promptTokens;
    this.transcript.session = {
      ...this.transcript.session,
      lastPromptTokens,
      lastPricedSeq,
      lastCacheReadTokens: 0,
      lastOutputTokens: 0,
    };
  }

  /** The next request; its change is stored as with a round. */
  async request(): Promise<Assembled> {
    const assembled = await this.engine.assemble(this.transcript, this.budget);
    this.store(assembled.stateChange);
    return assembled;
  }

  async prompt(): Promise<readonly PromptMessage[]> {
    return (await this.request()).messages;
  }

  /** The model calls compress in a step of its own; rows, result and plan are stored together. */
  async compress(content: unknown, topic: unknown = 'earlier work'): Promise<Record<string, unknown>> {
    const id = `compress-${++this.#calls}`;
    const args = JSON.stringify({ topic, content });
    const scope = {
      session: this.transcript.session,
      turnId: `t${this.turn}`,
      senderIds: [],
      signal: new AbortController().signal,
    };
    const call = { id, name: 'compress', arguments: args };
    const { result, plan, stateChange } = await this.engine.handleToolCall(call, scope, this.transcript);
    this.step([{ id, name: 'compress', args, result: result.text, isError: result.isError }]);
    this.store(stateChange);
    if (plan) this.applyPlan(plan);
    return JSON.parse(result.text) as Record<string, unknown>;
  }

  range(...entries: readonly RangeEntry[]): Promise<Record<string, unknown>> {
    return this.compress(entries);
  }

  /** What the engine does when room is asked for; a plan is stored and the engine built anew. */
  async room(
    wish: Partial<CompressRequest> & { layer: CompressRequest['layer'] },
    summariser = new ScriptedSummariser(['what was done before']),
  ): Promise<CompactionPlan | NoPlan> {
    const measured = this.engine.measure!(this.transcript).tokens;
    const request: CompressRequest = {
      trigger: 'hygiene',
      mode: 'full',
      force: false,
      promptTokens: this.budget.overheadTokens + measured,
      promptTokensSource: 'estimate',
      budget: this.budget,
      ...wish,
    };
    const help = { summariser, clock: fixedClock, signal: new AbortController().signal };
    const made = await this.engine.compress(this.transcript, request, help);
    if (made.kind === 'plan') this.applyPlan(made);
    else {
      this.store(made.stateChange);
      this.rebuild();
    }
    return made;
  }

  /** One of /dcp's parts; what it changes is stored. */
  async command(argument: string, language?: string): Promise<string> {
    const [dcp] = this.engine.commands();
    const end = await dcp!.run(argument, this.transcript, language);
    this.store(end.stateChange);
    this.rebuild();
    return end.text;
  }

  store(change: EngineStateChange | undefined): void {
    if (change) this.change(change.json as DcpChange);
  }

  applyPlan(plan: CompactionPlan): void {
    this.transcript.apply(plan);
    this.store(plan.state);
    this.rebuild();
  }

  /** As the store does: refused when it was made on another version or on refs that moved on. */
  change(change: DcpChange): void {
    if (change.baseVersion !== this.state.version) throw new Error('stale change');
    if (change.refs?.[0] && change.refs[0].number !== this.state.nextRef) throw new Error('refs moved on');
    this.state = applyChange(this.state, change);
  }
}

function toolRow(
  callId: string,
  { name = 'terminal', text, isError = false }: { name?: string; text: string; isError?: boolean },
): NewRow {
  const parts: Part[] = [{ type: 'tool_result', callId, name, text, isError }];
  return { role: 'tool', kind: 'tool', parts, tokens: estimateParts(parts) };
}

/** Texts of a prompt as one line a message: role and all its texts. */
export function linesOf(messages: readonly PromptMessage[]): readonly string[] {
  return messages.map(({ role, parts }) => `${role}: ${parts.map(textOf).join(' | ')}`);
}

function textOf(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'header':
      return part.text;
    case 'tool_call':
      return `${part.name}(${part.arguments})`;
    case 'tool_result':
      return part.text;
    case 'payload':
      return part.preview;
    case 'sidecar':
      return 'sidecar';
  }
}

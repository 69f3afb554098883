import {
  defaultConfig,
  estimateParts,
  GatewayError,
  outputReserveTokens,
  systemClock,
  textOfParts,
  type Clock,
  type CompactionPlan,
  type Config,
  type ContextEngine,
  type LcmStore,
  type ModelInfo,
  type NewRow,
  type Part,
  type PromptBudget,
  type Session,
  type Summariser,
  type TranscriptView,
} from '@palimpsest/core';
import { lcmFactory } from './lcm-factory.ts';

/** One message of a conversation as its owner holds it. */
export interface PlainMessage {
  role: 'user' | 'assistant';
  content: string;
}

/** Where messages and summaries are kept. The owner of the conversation hands it in. */
export interface StandAlonePorts {
  lcm: LcmStore;
  /** Open the conversation of this name, made when it is new. */
  open(name: string): Promise<Session>;
  append(session: Session, rows: readonly NewRow[]): Promise<void>;
  view(session: Session): Promise<TranscriptView>;
  /** Store a plan in one transaction. */
  apply(session: Session, plan: CompactionPlan): Promise<void>;
}

export interface LcmContextEngineOptions {
  model: string;
  provider: string;
  configContextLength: number;
  ports: StandAlonePorts;
  summariser: Summariser;
  /** Settings of `context.lcm`; left out: the defaults. */
  settings?: Partial<Config['context']['lcm']>;
  /** Left out: the system's. */
  clock?: Clock;
}

const answerTokens = 8_000;

/**
 * The lossless engine by itself, over a plain list of messages:
 *
 *   const engine = new LcmContextEngine({ model, provider, configContextLength, ports, summariser });
 *   await engine.onSessionStart('my-session');
 *   if (engine.shouldCompress({ promptTokens })) messages = await engine.compress(messages, { currentTokens });
 *
 * The list that comes back stands for the whole conversation: summaries, then the newest messages word for word.
 */
export class LcmContextEngine {
  readonly name = 'lcm';
  readonly #options: LcmContextEngineOptions;
  readonly #config: Config;
  readonly #model: ModelInfo;
  #session: Session | null = null;
  /** What the list last handed out begins with; behind it are new messages. */
  #known: readonly PlainMessage[] = [];

  constructor(options: LcmContextEngineOptions) {
    this.#options = options;
    const config = defaultConfig();
    const lcm = { ...config.context.lcm, ...options.settings };
    this.#config = { ...config, context: { ...config.context, engine: 'lcm', lcm } };
    this.#model = modelOf(options);
  }

  /** Open a conversation, or go on with one. What is stored of it comes back as the list to go on from. */
  async onSessionStart(name: string): Promise<readonly PlainMessage[]> {
    this.#session = await this.#options.ports.open(name);
    this.#known = await this.#messages();
    return this.#known;
  }

  onSessionEnd(): void {
    this.#session = null;
    this.#known = [];
  }

  /** Strictly above the threshold. */
  shouldCompress({ promptTokens }: { promptTokens: number }): boolean {
    const { context_threshold: threshold } = this.#config.context.lcm;
    return promptTokens > Math.floor(this.#options.configContextLength * threshold + 1e-6);
  }

  /**
   * Keep what is new of the list and make it smaller.
   * messages       the list last handed out, with new messages behind it
   * currentTokens  of the prompt, as the provider counted them
   */
  async compress(
    messages: readonly PlainMessage[],
    { currentTokens }: { currentTokens: number },
  ): Promise<readonly PlainMessage[]> {
    const session = this.#started();
    const { ports, summariser, clock = systemClock } = this.#options;
    const fresh = messages.slice(sharedStart(this.#known, messages));
    if (fresh.length > 0) await ports.append(session, fresh.map(rowOf));
    const engine = await this.#engine();
    const plan = await engine.compress(
      await ports.view(session),
      {
        layer: 'manual',
        trigger: 'manual',
        mode: 'full',
        force: false,
        budget: this.#budget(),
        promptTokens: currentTokens,
        promptTokensSource: 'api',
      },
      { summariser, clock, signal: new AbortController().signal },
    );
    if (plan.kind === 'plan') await ports.apply(session, plan);
    this.#known = await this.#messages();
    return this.#known;
  }

  /** A call of one of the engine's tools, `lcm_grep` and the like. */
  async callTool(name: string, input: object): Promise<string> {
    const session = this.#started();
    const engine = await this.#engine();
    const call = { id: 'call', name, arguments: JSON.stringify(input) };
    const scope = { session, turnId: '', senderIds: [], signal: new AbortController().signal };
    const view = await this.#options.ports.view(session);
    return (await engine.handleToolCall(call, scope, view)).result.text;
  }

  async getStatus(): Promise<readonly string[]> {
    return (await this.callTool('lcm_describe', {})).split('\n');
  }

  async #messages(): Promise<readonly PlainMessage[]> {
    const view = await this.#options.ports.view(this.#started());
    const { messages } = await (await this.#engine()).assemble(view, this.#budget());
    return messages.map(({ role, parts }) => ({
      role: role === 'assistant' ? 'assistant' : 'user',
      content: textOfParts(parts),
    }));
  }

  async #engine(): Promise<ContextEngine> {
    const { ports, summariser, clock } = this.#options;
    const factory = lcmFactory({ config: this.#config, store: ports.lcm, reader: summariser, clock });
    const session = this.#started();
    return factory.create({ session, model: this.#model, state: await factory.load?.(session) });
  }

  #started(): Session {
    if (!this.#session)
      throw new GatewayError('input_invalid', 'no session is open; call onSessionStart first');
    return this.#session;
  }

  #budget(): PromptBudget {
    const windowTokens = this.#options.configContextLength;
    const reserve = { windowTokens, maxOutputTokens: answerTokens, configuredMaxTokens: null };
    return { windowTokens, outputReserveTokens: outputReserveTokens(reserve), overheadTokens: 0 };
  }
}

function modelOf({ model, provider, configContextLength }: LcmContextEngineOptions): ModelInfo {
  return {
    provider,
    name: model,
    label: `${provider}/${model}`,
    windowTokens: configContextLength,
    windowSource: 'config',
    maxOutputTokens: answerTokens,
    issuer: provider,
    caching: null,
  };
}

function rowOf({ role, content }: PlainMessage): NewRow {
  const parts: Part[] = [{ type: 'text', text: content }];
  return { role, kind: role === 'user' ? 'person' : 'assistant', parts, tokens: estimateParts(parts) };
}

/** How many messages two lists have in common at their beginning. */
function sharedStart(known: readonly PlainMessage[], messages: readonly PlainMessage[]): number {
  const differs = known.findIndex(
    ({ role, content }, index) => messages[index]?.role !== role || messages[index].content !== content,
  );
  return differs === -1 ? known.length : differs;
}

/** A conversation in a database of its own, compacted by an engine as it grows, and what can be asked of it then. */
import { createMainModel, createWorkerDeps, ownerName, readSettings, type Settings } from '@palimpsest/cli';
import {
  saidInParts,
  silentLogger,
  silentMeter,
  type Config,
  type ContextState,
  type HistoryStore,
  type ModelClient,
  type NewRow,
  type PromptMessage,
  type Queue,
  type Session,
  type Tool,
  type ToolScope,
} from '@palimpsest/core';
import { migrate, openHistory, openStore } from '@palimpsest/store';
import { createScratchDatabase } from '@palimpsest/testkit';
import { compactSession, openReader, whileFree, type CompactionWish, type TurnDeps } from '@palimpsest/turn';

export interface WorldWish {
  serverUrl: string;
  engine: string;
  tailMode: Config['compression']['tail_mode'];
  windowTokens: number;
  /** Left out: the offline model, whose summaries are extracts. */
  settings?: Settings;
  signal: AbortSignal;
}

/** Nothing is put off here: what would be a job is done when it is due, or not needed. */
const noJobs: Pick<Queue, 'wake' | 'deliver' | 'maintain'> = {
  wake: async () => {},
  deliver: async () => {},
  maintain: async () => {},
};

/** Of all tools those that change nothing. */
const lookUp: ReadonlySet<string> = new Set(['session_search', 'lcm_grep', 'lcm_describe', 'lcm_expand']);
/** The engine is asked each time the conversation has grown by this share of the window. */
const askedEvery = 0.02;
/** Where the prompt is this full, the safety net compacts whatever the engine says. */
const hygieneShare = 0.85;

export async function openRecallWorld(wish: WorldWish): Promise<RecallWorld> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await createScratchDatabase(wish.serverUrl, 'recall'));
  await migrate(database.url);
  const options = { databaseUrl: database.url, logger: silentLogger };
  const store = await openStore({ ...options, poolSize: 2 });
  stack.defer(() => store.close());
  const history = openHistory(options);
  stack.defer(() => history.close());
  const settings = settingsFor(wish);
  const parts = {
    settings,
    logger: silentLogger,
    meter: silentMeter,
    store,
    queue: noJobs as Queue,
    owner: ownerName(),
  };
  const deps = createWorkerDeps(parts, createMainModel(settings));
  return new RecallWorld(wish, { deps, history, stack });
}

export interface RecallDesk {
  prompt: readonly PromptMessage[];
  /** What the engine says in the system prompt. */
  engineText: string;
  tools: readonly Tool[];
  scope: ToolScope;
}

export class RecallWorld implements AsyncDisposable {
  compactions = 0;
  readonly #wish: WorldWish;
  readonly #parts: { deps: TurnDeps; history: HistoryStore; stack: AsyncDisposableStack };
  #sessionId = '';
  #grownTokens = 0;

  constructor(
    wish: WorldWish,
    parts: { deps: TurnDeps; history: HistoryStore; stack: AsyncDisposableStack },
  ) {
    this.#wish = wish;
    this.#parts = parts;
  }

  /** Append rows, then compact if the engine or the safety net says so. */
  async add(rows: readonly NewRow[]): Promise<void> {
    this.#sessionId = await append(this.#parts.history, this.#wish.engine, rows);
    this.#grownTokens += rows.reduce((sum, row) => sum + row.tokens, 0);
    if (this.#grownTokens < askedEvery * this.#wish.windowTokens) return;
    this.#grownTokens = 0;
    await this.#compactWhere(whereNeeded);
  }

  /** Compact now, as a person can ask for it. */
  async compact(): Promise<void> {
    await this.#compactWhere(() => ({ layer: 'manual', trigger: 'manual', force: true }));
  }

  /** The messages of the next request. */
  async prompt(): Promise<readonly PromptMessage[]> {
    const claimed = await this.#read();
    return (await claimed.engine.assemble(claimed.view, claimed.budget())).messages;
  }

  /** What a tool answers the model; the lossless engine's tools look into any session's transcript. */
  async call(tool: string, input: Record<string, unknown>): Promise<string> {
    const { session, view, tools } = await this.#read();
    const scope = { ...this.#scopeOf(session), callId: 'recall' };
    const own = tools.find(({ schema }) => schema.name === tool);
    if (own) return (await own.run(input, scope)).text;
    const { findEngine, model } = this.#parts.deps;
    const { factory } = findEngine('lcm');
    const state = (await factory.load?.(session)) ?? null;
    const engine = factory.create({ session, model: model.info, state });
    const call = { type: 'tool_call', id: 'recall', name: tool, arguments: JSON.stringify(input) } as const;
    return (await engine.handleToolCall(call, scope, view)).result.text;
  }

  /** What stands before a model that is asked about the conversation, and the tools with which it looks for the rest. */
  async desk(): Promise<RecallDesk> {
    const claimed = await this.#read();
    const { session, tools, engine, view } = claimed;
    const own = tools.filter(({ schema }) => lookUp.has(schema.name));
    const ofEngine = engine.getToolSchemas().filter(({ name }) => lookUp.has(name));
    const { messages } = await engine.assemble(view, claimed.budget());
    return {
      prompt: messages,
      engineText: engine.systemText,
      scope: this.#scopeOf(session),
      tools: [
        ...own,
        ...ofEngine.map((schema): Tool => ({
          schema,
          repeatable: true,
          run: async (input) => ({ text: await this.call(schema.name, input), isError: false }),
        })),
      ],
    };
  }

  get model(): ModelClient {
    return this.#parts.deps.model;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.stack.disposeAsync();
  }

  #scopeOf(session: Session): ToolScope {
    return { session, turnId: 'recall', senderIds: [], signal: this.#wish.signal };
  }

  async #read(): Promise<Claimed> {
    const { deps } = this.#parts;
    return openReader(deps, (await deps.store.turns.session(this.#sessionId))!);
  }

  async #compactWhere(whereOf: typeof whereNeeded): Promise<void> {
    await whileFree(this.#parts.deps, this.#sessionId, async (claimed) => {
      await claimed.view.reload();
      const where = whereOf({ engine: claimed.engine, state: claimed.state() });
      if (where === null) return;
      const { signal } = this.#wish;
      const { applied } = await compactSession(claimed, { ...where, mode: 'full', signal });
      if (applied !== null) this.compactions += 1;
    });
  }
}

/** The texts of a prompt as the model reads them. */
export function textsOf(messages: readonly PromptMessage[]): readonly string[] {
  return messages.map(({ parts }) => saidInParts(parts));
}

function settingsFor({ engine, tailMode, windowTokens, settings = withoutKeys() }: WorldWish) {
  const { config } = settings;
  return {
    ...settings,
    config: {
      ...config,
      model: { ...config.model, context_length: windowTokens },
      compression: { ...config.compression, tail_mode: tailMode },
      context: {
        ...config.context,
        engine,
        lcm: { ...config.context.lcm, summary_max_calls_per_window: 100_000 },
      },
    },
  };
}

function withoutKeys(): Settings {
  return readSettings({ PALIMPSEST_CONFIG: '' }, '/nonexistent');
}

function append(history: HistoryStore, engine: string, rows: readonly NewRow[]): Promise<string> {
  return history.importRows({
    account: { platform: 'local', id: 'recall' },
    place: { chatId: 'recall', threadId: '', kind: 'direct' },
    sender: { id: 'person', name: 'person', isBot: false },
    engine,
    rows,
  });
}

type Where = Pick<CompactionWish, 'layer' | 'trigger' | 'force'>;
type Claimed = Parameters<typeof compactSession>[0];

/** null: there is room. */
function whereNeeded({ engine, state }: Pick<Claimed, 'engine'> & { state: ContextState }): Where | null {
  const { promptTokens, budget } = state;
  if (promptTokens >= hygieneShare * budget.windowTokens)
    return { layer: 'hygiene', trigger: 'hygiene', force: false };
  return engine.shouldCompress(state).kind === 'now'
    ? { layer: 'agent', trigger: 'threshold', force: false }
    : null;
}

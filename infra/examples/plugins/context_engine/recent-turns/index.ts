/**
 * An example of a plug-in engine: the newest turns stay, older ones are set aside without a summary. No model is asked,
 * nothing is lost: what was set aside stays searchable, and the model is told how to find it.
 *
 *   npm run -s palimpsest -- engine install infra/examples/plugins/context_engine/recent-turns
 *   npm run -s palimpsest -- engine use recent-turns       (or /engine recent-turns in one chat)
 *
 * Only types are imported, and they are gone when this runs: a plug-in can stand in any folder.
 */
import type {
  Assembled,
  CompactionPlan,
  CompressDecision,
  CompressRequest,
  ContextEngine,
  ContextState,
  EngineCommand,
  EngineStatus,
  ModelInfo,
  NoPlan,
  Part,
  PromptBudget,
  RowHeader,
  ToolCall,
  ToolResult,
  TranscriptView,
} from '@palimpsest/core';
import type { PlugInHost } from '@palimpsest/worker';

/** That of the folder. */
const name = 'recent-turns';
/** What stays after turns were set aside, as a share of the trigger. */
const keptShare = 0.5;

/** Called once when a worker starts. The engine runs only where `context.engine` or /engine names it. */
export function register(host: PlugInHost): void {
  host.registerContextEngine({
    name,
    create: ({ model, state }) => new RecentTurns(host, model, rowsIn(state)),
  });
}

/** State is JSON of ours, kept beside the session; null at first. */
function rowsIn(state: unknown): number {
  const rows = typeof state === 'object' && state !== null && 'rows' in state ? state.rows : 0;
  return typeof rows === 'number' ? rows : 0;
}

/** One instance a claimed session. It decides and answers; the service stores. */
class RecentTurns implements ContextEngine {
  readonly name = name;
  readonly systemText = '';
  /** There is nothing to prune between "all stays" and "turns are set aside". */
  readonly prunes = false;
  readonly #host: PlugInHost;
  readonly #rowsSetAside: number;
  #model: ModelInfo;

  constructor(host: PlugInHost, model: ModelInfo, rowsSetAside: number) {
    this.#host = host;
    this.#model = model;
    this.#rowsSetAside = rowsSetAside;
  }

  shouldCompress({ promptTokens }: ContextState): CompressDecision {
    return promptTokens >= this.#triggerTokens()
      ? { kind: 'now', reason: 'threshold' }
      : { kind: 'no', reason: 'below_threshold' };
  }

  /** Every live row as it stands. The same rows must give the same messages, or the provider's cache is of no use. */
  async assemble(view: TranscriptView): Promise<Assembled> {
    const bodies = await view.bodies(view.rows.map((row) => row.id));
    const messages = view.rows.map(({ id, role }) => ({
      role,
      parts: bodies.get(id)?.parts ?? [],
      rowId: id,
    }));
    return { messages };
  }

  compress(view: TranscriptView, request: CompressRequest): Promise<CompactionPlan | NoPlan> {
    const cut = findCut(view.rows, this.#triggerTokens() * keptShare - request.budget.overheadTokens);
    const made = cut === 0 ? nothingToSetAside : this.#planFor(view.rows, cut, request);
    return Promise.resolve(made);
  }

  #planFor(rows: readonly RowHeader[], cut: number, request: CompressRequest): CompactionPlan {
    const gone = rows.slice(0, cut);
    // A former note is set aside with the rest, and is no message that somebody said.
    const setAside = this.#rowsSetAside + gone.filter((row) => row.kind !== 'summary').length;
    const parts: Part[] = [{ type: 'text', text: noteAbout(setAside) }];
    const tokens = this.#host.estimateParts(parts);
    const goneTokens = gone.reduce((sum, row) => sum + row.tokens, 0);
    return {
      kind: 'plan',
      outcome: 'success',
      reason: 'none',
      archive: gone.map((row) => row.id),
      write: [
        {
          role: 'user',
          kind: 'summary',
          parts,
          tokens,
          place: { kind: 'range', lastRowId: gone.at(-1)!.id },
        },
      ],
      state: { engine: name, json: { rows: setAside } },
      summaryModel: null,
      figures: {
        tokensBefore: request.promptTokens,
        tokensBeforeSource: request.promptTokensSource,
        tokensAfter: Math.max(0, request.promptTokens - goneTokens + tokens),
        rowsBefore: rows.length,
        rowsAfter: rows.length - gone.length + 1,
        rowsArchived: gone.length,
        rowsProtected: rows.length - gone.length,
        rowsDroppedWithoutSummary: gone.length,
        toolResultsPruned: 0,
        summaryTokens: tokens,
        summaryCalls: 0,
        summaryInputTokens: 0,
        summaryOutputTokens: 0,
        escalation: 'deterministic',
      },
    };
  }

  updateFromResponse(): Record<string, never> {
    return {};
  }

  updateModel(model: ModelInfo): Record<string, never> {
    this.#model = model;
    return {};
  }

  getToolSchemas(): [] {
    return [];
  }

  handleToolCall(call: ToolCall): Promise<{ result: ToolResult }> {
    return Promise.resolve({ result: { text: `there is no tool ${call.name}`, isError: true } });
  }

  /** Nothing of another engine needs to be changed, and nothing of ours to be taken back. */
  enter(): Promise<null> {
    return Promise.resolve(null);
  }

  leave(): Promise<null> {
    return Promise.resolve(null);
  }

  onSessionStart(): void {}

  onSessionEnd(): void {}

  onSessionReset(): void {}

  getStatus({ windowTokens, outputReserveTokens }: PromptBudget): EngineStatus {
    const triggerTokens = this.#triggerTokens();
    return {
      engine: name,
      triggerTokens,
      prepareTokens: triggerTokens,
      hardLimitTokens: Math.max(1, windowTokens - outputReserveTokens),
      lines: [`${this.#rowsSetAside} older messages were set aside; they stay searchable.`],
    };
  }

  commands(): readonly EngineCommand[] {
    const run = () => Promise.resolve({ text: `${this.#rowsSetAside} older messages were set aside.` });
    return [{ name: 'set_aside', description: 'how many older messages the model no longer sees', run }];
  }

  #triggerTokens(): number {
    return this.#host.resolveModelThreshold(this.#model, this.#host.config).triggerTokens;
  }
}

const nothingToSetAside: NoPlan = {
  kind: 'none',
  outcome: 'noop',
  reason: 'protected_only',
  summaryModel: null,
  summaryCalls: 0,
  message: 'there is no older turn that could be set aside',
};

/**
 * How many rows at the beginning are set aside: all but the newest turns that fit `keepTokens`. A turn begins with what a
 * person said, so a tool's call and its result are never parted. 0: nothing can go.
 */
function findCut(rows: readonly RowHeader[], keepTokens: number): number {
  const begins = rows.flatMap((row, index) => (row.kind === 'person' ? [index] : []));
  const newest = begins.at(-1) ?? 0;
  let tokens = 0;
  let cut = newest;
  for (let index = rows.length - 1; index >= 0; index--) {
    tokens += rows[index]!.tokens;
    if (tokens > keepTokens && index < newest) break;
    if (index < newest && begins.includes(index)) cut = index;
  }
  return cut === 1 && rows[0]?.kind === 'summary' ? 0 : cut;
}

function noteAbout(rows: number): string {
  return `[${rows} earlier messages of this conversation were set aside. They are not lost: call session_search to read them.]`;
}

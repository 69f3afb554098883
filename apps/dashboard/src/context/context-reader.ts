import {
  estimateOverhead,
  messageFramingTokens,
  type CompressDecision,
  type EarlyWork,
  type ModelPrice,
  type ProtectedParts,
  type RowHeader,
  type Session,
  type Store,
} from '@palimpsest/core';
import { openReader, previewCompaction, type CompactionPreview, type TurnDeps } from '@palimpsest/turn';

/** What the next prompt of a session is made of, by its engine and model as they are now. Parts are estimates. */
export interface ContextParts {
  engine: string;
  model: string;
  summaryModel: string;
  windowTokens: number;
  /** Where the window's size is from. */
  windowSource: string;
  /** Where the engine compacts, where it begins to prepare, and what no prompt may pass. */
  triggerTokens: number;
  prepareTokens: number;
  hardLimitTokens: number;
  systemTokens: number;
  toolTokens: number;
  tools: number;
  /** Texts that stand for older ones. */
  summaryTokens: number;
  /** Live rows: those at both ends that a compaction would leave word for word, and those between. */
  headTokens: number;
  middleTokens: number;
  tailTokens: number;
  /** Tool results between both ends, which `middleTokens` leaves out. */
  resultTokens: number;
  /** False: the engine does not tell what it would leave, so all rows are told as the middle. */
  isDivided: boolean;
  /** Messages that would be sent, summaries among them. */
  messages: number;
  /** The whole: the model's own count where there is one. */
  promptTokens: number;
  promptSource: 'api' | 'estimate';
  /** What the engine would do now, and why. */
  decision: CompressDecision;
  /** Small work before the trigger; null: this engine does none, or the trigger is passed. */
  earlyWork: EarlyWork | null;
  /** The model that condenses by itself is not reminded: a person has to ask. */
  isQuiet: boolean;
  /** Automatic compaction rests until then. */
  restUntil: Date | null;
  restReason: string | null;
}

/** What only a worker's parts can tell; built once, reads only. */
export interface ContextReader {
  /** Null: there is no such session. */
  read(sessionId: string): Promise<ContextParts | null>;
  /** What a compaction would do now: nothing is written and no model is asked. Null: there is no such session. */
  preview(sessionId: string, focus: string | undefined): Promise<CompactionPreview | null>;
  /** What a session may be switched to, by name. */
  choices(): { engines: readonly string[]; models: readonly string[] };
  /** Where the configured engine compacts with the configured model, tokens. */
  usualTriggerTokens(): number;
  /** Of a model by its label; null: nobody wrote it down. */
  price(model: string): ModelPrice | null;
}

type SummaryStores = Pick<Store, 'lcm' | 'dcp'>;

/** Reads a session with the parts of a worker, which it never asks to write or to call a model. */
export function contextReader(deps: TurnDeps, stores: SummaryStores): ContextReader {
  return {
    async read(sessionId) {
      const session = await deps.store.turns.session(sessionId);
      return session ? readParts(deps, stores, session) : null;
    },
    async preview(sessionId, focus) {
      const session = await deps.store.turns.session(sessionId);
      if (!session) return null;
      const reader = await openReader(deps, session);
      return previewCompaction(reader, { focus, signal: new AbortController().signal });
    },
    choices: () => ({
      engines: deps.engineNames ?? [],
      models: (deps.models?.list() ?? [deps.model.info]).map(({ label }) => label),
    }),
    usualTriggerTokens: () => Math.floor(deps.model.info.windowTokens * deps.config.compression.threshold),
    price(model) {
      const { summariser, mainSummariser } = deps;
      const known = [deps.model.info, ...(deps.models?.list() ?? [])].find(({ label }) => label === model);
      if (known) return known.pricePerMillion ?? null;
      return [summariser, mainSummariser].find((one) => one?.model === model)?.pricePerMillion ?? null;
    },
  };
}

async function readParts(deps: TurnDeps, stores: SummaryStores, stored: Session): Promise<ContextParts> {
  const [reader, besideRows, isQuiet] = await Promise.all([
    openReader(deps, stored),
    summariesBesideRows(stores, stored),
    isAskedOnly(deps, stores, stored),
  ]);
  const state = reader.state();
  const { budget, session } = state;
  const status = reader.engine.getStatus(budget);
  const toolTokens = estimateOverhead([], reader.toolSchemas) - messageFramingTokens;
  const { tokens, rows } = reader.measured();
  const inRows = reader.view.rows.filter((row) => row.kind === 'summary');
  const summaries = besideRows + inRows.reduce((sum, row) => sum + row.tokens, 0);
  const summaryTokens = Math.min(tokens, summaries);
  const isResting = session.cooldownUntil !== null && session.cooldownUntil > state.now;
  return {
    engine: reader.engine.name,
    model: reader.deps.model.info.label,
    summaryModel: reader.deps.summariser.model,
    windowTokens: budget.windowTokens,
    windowSource: reader.deps.model.info.windowSource,
    triggerTokens: status.triggerTokens,
    prepareTokens: status.prepareTokens,
    hardLimitTokens: status.hardLimitTokens,
    systemTokens: budget.overheadTokens - toolTokens,
    toolTokens,
    tools: reader.toolSchemas.length,
    summaryTokens,
    ...splitRows(tokens - summaryTokens, {
      parts: reader.engine.protectedParts?.(reader.view, state),
      resultTokens: resultsOf(reader.view.rows),
    }),
    messages: rows,
    promptTokens: state.promptTokens,
    // The offline responder counts nothing: what it reports is our own estimate.
    promptSource: reader.deps.model.info.provider === 'offline' ? 'estimate' : state.source,
    decision: reader.engine.shouldCompress(state),
    earlyWork: reader.engine.earlyWork?.(reader.view, state) ?? null,
    isQuiet,
    restUntil: isResting ? session.cooldownUntil : null,
    restReason: isResting ? session.cooldownReason : null,
  };
}

/** Where an engine names no borders every row may be condensed. `resultTokens`: of all rows. */
function splitRows(
  rowTokens: number,
  { parts, resultTokens }: { parts: ProtectedParts | undefined; resultTokens: number },
): Pick<ContextParts, 'headTokens' | 'middleTokens' | 'tailTokens' | 'resultTokens' | 'isDivided'> {
  const tail = Math.min(parts?.tailTokens ?? 0, rowTokens);
  const head = Math.min(parts?.headTokens ?? 0, rowTokens - tail);
  const middle = rowTokens - head - tail;
  const results = Math.min(parts?.resultTokens ?? resultTokens, middle);
  return {
    headTokens: head,
    middleTokens: middle - results,
    tailTokens: tail,
    resultTokens: results,
    isDivided: parts !== undefined,
  };
}

function resultsOf(rows: readonly RowHeader[]): number {
  return rows.reduce((sum, row) => (row.role === 'tool' ? sum + row.tokens : sum), 0);
}

/** As the engine in which the model condenses by itself is set, or as a person set it for the session. */
async function isAskedOnly(
  { config }: TurnDeps,
  { dcp }: SummaryStores,
  { id, engine }: Session,
): Promise<boolean> {
  if (engine !== 'dcp') return false;
  return config.context.dcp.compress.permission === 'ask' || (await dcp.load(id)).manualMode;
}

/** Tokens of summaries that are no rows: blocks of one engine, nodes of the other. */
async function summariesBesideRows({ lcm, dcp }: SummaryStores, { id, engine }: Session): Promise<number> {
  if (engine === 'dcp') return (await dcp.savings(id)).summaryTokens;
  if (engine !== 'lcm') return 0;
  const { items } = await lcm.load(id);
  return items.reduce((sum, item) => sum + item.tokens, 0);
}

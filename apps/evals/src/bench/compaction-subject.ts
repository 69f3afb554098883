import {
  GatewayError,
  outputReserveTokens,
  type CompactionPlan,
  type ContextEngine,
  type EngineFactory,
  type HistoryStore,
  type Lease,
  type MessageRow,
  type ModelInfo,
  type NewRow,
  type PromptBudget,
  type Session,
  type Store,
  type TranscriptView,
} from '@palimpsest/core';
import type { Figures } from './figures.ts';
import { timeOf } from './time-of.ts';

/** System prompt and tool schemas of a usual installation, tokens. */
const overheadTokens = 1_500;

export interface CompactionParts {
  store: Store;
  history: HistoryStore;
  /** Tells its sessions from those of another subject. */
  name: string;
  rows: readonly NewRow[];
  factory: EngineFactory;
  model: ModelInfo;
  help: Parameters<ContextEngine['compress']>[2];
}

export interface MeasuredCompaction {
  loadMs: number;
  planMs: number;
  assemblyMs: number;
  applyMs: number;
}

/** One compaction after the other, each of a fresh session with the same rows. */
export class CompactionSubject {
  readonly #parts: CompactionParts;
  #lastPlan: CompactionPlan | null = null;

  constructor(parts: CompactionParts) {
    this.#parts = parts;
  }

  /** What was compacted, and what became of it. */
  sizes(prefix: string): Figures {
    const { rows } = this.#parts;
    const figures = this.#lastPlan?.figures;
    return {
      transcript_tokens: rows.reduce((sum, row) => sum + row.tokens, 0),
      transcript_rows: rows.length,
      [`${prefix}_archived_rows`]: figures?.rowsArchived ?? 0,
      [`${prefix}_tokens_after`]: figures?.tokensAfter ?? 0,
    };
  }

  async measure(run: number): Promise<MeasuredCompaction> {
    const { store, factory, model } = this.#parts;
    const { lease, session } = await this.#newSession(run);
    let rows: readonly MessageRow[] = [];
    const loadMs = await timeOf(async () => {
      rows = await store.transcript.liveRows(session.id);
    });
    const view = viewOf(session, rows);
    const engine = factory.create({ session, model, state: null });
    let plan: CompactionPlan | null = null;
    const planMs = await timeOf(async () => {
      plan = await this.#plan(engine, view);
    });
    const assemblyMs = await timeOf(() => engine.assemble(view, this.#budget()));
    const applyMs = await this.#apply(lease, plan!);
    this.#lastPlan = plan;
    return { loadMs, planMs, assemblyMs, applyMs };
  }

  async #newSession(run: number): Promise<{ lease: Lease; session: Session }> {
    const { store, history, name, rows } = this.#parts;
    const sessionId = await history.importRows({
      account: { platform: 'local', id: 'local' },
      place: { chatId: `bench-${name}-${run}`, threadId: '', kind: 'direct' },
      sender: { id: 'bench', name: 'Bench', isBot: false },
      engine: 'compressor',
      rows,
    });
    const claim = await store.turns.claim(sessionId, 'bench', 3_600_000);
    if (claim.kind === 'claimed') return claim;
    throw new GatewayError('internal', `the session of a bench is ${claim.kind}`);
  }

  async #plan(engine: ContextEngine, view: TranscriptView): Promise<CompactionPlan> {
    const promptTokens = view.rows.reduce((sum, row) => sum + row.tokens, overheadTokens);
    const request = {
      layer: 'agent',
      trigger: 'threshold',
      mode: 'full',
      force: false,
      budget: this.#budget(),
      promptTokens,
      promptTokensSource: 'estimate',
    } as const;
    const plan = await engine.compress(view, request, this.#parts.help);
    if (plan.kind === 'plan') return plan;
    throw new GatewayError(
      'internal',
      `the engine made no plan: ${plan.outcome}, ${plan.reason}; ${plan.message}`,
    );
  }

  async #apply(lease: Lease, plan: CompactionPlan): Promise<number> {
    const { store, model } = this.#parts;
    const compactionId = await store.compactions.open({
      sessionId: lease.sessionId,
      epoch: lease.epoch,
      engine: 'compressor',
      layer: 'agent',
      trigger: 'threshold',
      windowTokens: model.windowTokens,
      windowSource: model.windowSource,
      thresholdRaw: 0.5,
      triggerTokens: model.windowTokens / 2,
      mainModel: model.label,
    });
    return timeOf(() => store.compactions.apply(lease, compactionId, plan, []));
  }

  #budget(): PromptBudget {
    const { windowTokens, maxOutputTokens } = this.#parts.model;
    const reserve = outputReserveTokens({ windowTokens, maxOutputTokens, configuredMaxTokens: null });
    return { windowTokens, outputReserveTokens: reserve, overheadTokens };
  }
}

/** Texts in memory: reading them is the store's time and measured apart. */
function viewOf(session: Session, rows: readonly MessageRow[]): TranscriptView {
  const bodies = new Map(rows.map((row) => [row.id, row]));
  return { session, rows, bodies: async () => bodies };
}

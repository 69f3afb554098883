/** A session under the lossless engine, in memory: rows, store, summary model and clock of the test's own. */
import {
  defaultConfig,
  type Clock,
  type CompactionPlan,
  type CompressRequest,
  type Config,
  type ContextEngine,
  type LcmChange,
  type LcmConfig,
  type NewRow,
  type NoPlan,
  type PromptMessage,
  type Summariser,
  textOfParts,
} from '@palimpsest/core';
import { lcmFactory } from '@palimpsest/engines';
import { budgetOf, noon } from './compress.ts';
import { LcmMemoryStore } from './lcm-memory-store.ts';
import { shrinking } from './lcm-summarisers.ts';
import { aModel, aSession, MemoryTranscript } from './memory-transcript.ts';

/** Moves only when the test moves it; nobody sleeps on it but for nothing. */
export class StillClock implements Clock {
  #ms = noon.getTime();

  now(): Date {
    return new Date(this.#ms);
  }

  pass(ms: number): void {
    this.#ms += ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms === 0) return;
    await new Promise<void>((resolve) => {
      if (signal?.aborted) resolve();
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

type Deep<Value> = { [Key in keyof Value]?: Value[Key] extends object ? Partial<Value[Key]> : Value[Key] };

export function lcmConfig(changes: Deep<LcmConfig> = {}): Config {
  const config = defaultConfig();
  const { lcm } = config.context;
  const { cache_aware_compaction: cache, dynamic_leaf_chunk_tokens: dynamic, ...flat } = changes;
  const merged = {
    ...lcm,
    ...flat,
    cache_aware_compaction: { ...lcm.cache_aware_compaction, ...cache },
    dynamic_leaf_chunk_tokens: { ...lcm.dynamic_leaf_chunk_tokens, ...dynamic },
  } as LcmConfig;
  return { ...config, context: { engine: 'lcm', lcm: merged } } as Config;
}

export interface LcmWish extends Partial<CompressRequest> {
  signal?: AbortSignal;
}

export class LcmWorld {
  readonly transcript = new MemoryTranscript(aSession({ engine: 'lcm' }));
  readonly clock: Clock & { pass?(ms: number): void };
  readonly store: LcmMemoryStore;
  readonly config: Config;
  readonly windowTokens: number;
  summariser: Summariser;
  fallbacks: Summariser[] = [];

  constructor(
    changes: Deep<LcmConfig> = {},
    options: { windowTokens?: number; summariser?: Summariser; clock?: Clock } = {},
  ) {
    this.clock = options.clock ?? new StillClock();
    this.store = new LcmMemoryStore(this.transcript, () => this.clock.now());
    this.config = lcmConfig(changes);
    this.windowTokens = options.windowTokens ?? 10_000;
    this.summariser = options.summariser ?? shrinking();
  }

  append(...rows: readonly NewRow[]): void {
    for (const row of rows) this.transcript.append(row);
  }

  /** As a claim builds it: from what is stored now. */
  async engine(): Promise<ContextEngine> {
    const { config, store, fallbacks, clock, summariser, windowTokens } = this;
    const factory = lcmFactory({ config, store, fallbacks, clock, reader: summariser });
    const { session } = this.transcript;
    return factory.create({ session, model: aModel({ windowTokens }), state: await factory.load!(session) });
  }

  budget() {
    return budgetOf(this.windowTokens, 0);
  }

  /** Asked for by a person unless the wish says otherwise. */
  async compress(wish: LcmWish = {}): Promise<CompactionPlan | NoPlan> {
    const { signal = new AbortController().signal, ...changes } = wish;
    const engine = await this.engine();
    const request: CompressRequest = {
      layer: 'manual',
      trigger: 'manual',
      mode: 'full',
      force: true,
      budget: this.budget(),
      promptTokens: engine.measure!(this.transcript).tokens,
      promptTokensSource: 'estimate',
      ...changes,
    };
    return engine.compress(this.transcript, request, {
      summariser: this.summariser,
      clock: this.clock,
      signal,
    });
  }

  /** Ask and apply, with the store's rules. The plan goes through JSON, as one that was prepared ahead does. */
  async condense(wish: LcmWish = {}): Promise<CompactionPlan> {
    const plan = await this.compress(wish);
    if (plan.kind === 'none') throw new Error(`no plan: ${plan.outcome} ${plan.reason} ${plan.message}`);
    this.apply(plan);
    return plan;
  }

  apply(plan: CompactionPlan): void {
    this.transcript.apply(plan);
    this.store.change(changeOf(plan));
  }

  async assemble(budget = this.budget()): Promise<readonly PromptMessage[]> {
    return (await (await this.engine()).assemble(this.transcript, budget)).messages;
  }

  async prompt(): Promise<readonly string[]> {
    return (await this.assemble()).map(({ parts }) => textOfParts(parts));
  }

  /** Ids of the messages one reaches from the context, in its order. */
  reached(): readonly number[] {
    const under = (id: string): readonly number[] => {
      const node = this.store.nodes.get(id)!;
      return node.kind === 'leaf' ? node.messageIds : node.sourceIds.flatMap(under);
    };
    const items = [
      ...this.store.items.map(({ summaryId, ordinal }) => ({ ordinal, ids: under(summaryId) })),
      ...this.transcript.rows.map(({ id, seq }) => ({ ordinal: seq, ids: [id] })),
    ];
    return items.toSorted((a, b) => a.ordinal - b.ordinal).flatMap(({ ids }) => ids);
  }
}

export function changeOf(plan: CompactionPlan): LcmChange {
  return (plan.state?.json ?? {}) as LcmChange;
}
